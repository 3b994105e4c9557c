import type { ThreadPlatform } from "../platform.ts";
import type { ReadEvents, RunEvents } from "./event-protocol.ts";
import type { RunRequest } from "../runs/run-request.ts";
import type { RunEnds } from "../runs/run-ends.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { EventLimits } from "./event-limits.ts";
import type { EventLog } from "./event-log.ts";
import { EventReader } from "./event-reader.ts";
import { LangGraphTelling } from "./langgraph-telling.ts";
import { positionOf } from "./position.ts";
import { ReaderHandle } from "./reader-handle.ts";
import { plainTelling, type Telling } from "./telling.ts";

export interface EventReadersParts {
  readonly storage: ThreadStorage;
  readonly log: EventLog;
  readonly ends: RunEnds;
  readonly platform: ThreadPlatform;
  readonly limits: EventLimits;
}

/** Gives the events of a run to whoever asks for them, in the words that the run was started in. */
export class EventReaders {
  readonly #parts: EventReadersParts;

  constructor(parts: EventReadersParts) {
    this.#parts = parts;
  }

  /** `request`: what the run was started with, where that is known. */
  async open(read: ReadEvents, request?: RunRequest): Promise<RunEvents> {
    const { log, ends, platform } = this.#parts;
    const { runId, threadId, after } = read;
    const telling = this.#telling(read, request ?? (await this.#requestOf(read)));
    const reader = new EventReader({
      log,
      runId,
      threadId,
      after: after === undefined ? undefined : positionOf(after),
      telling,
      end: ends.event(read),
    });
    platform.waitUntil(reader.done);
    return { runId, events: reader.body, reader: new ReaderHandle(reader) };
  }

  async #requestOf({ threadId, runId }: ReadEvents): Promise<RunRequest | undefined> {
    const { storage } = this.#parts;
    const run = storage.runs.get(runId);
    // What a router sent and this object stored, in the shape that it was parsed into.
    return run && ((await storage.records.read(threadId, run.request)) as RunRequest);
  }

  #telling({ modes }: ReadEvents, request: RunRequest | undefined): Telling {
    const { langGraphModes } = request ?? {};
    if (langGraphModes === undefined) return plainTelling(modes?.map(plainMode));
    const wanted =
      modes === undefined ? langGraphModes : langGraphModes.filter((mode) => modes.includes(mode));
    return new LangGraphTelling(wanted, this.#parts.limits.hasEnd);
  }
}

function plainMode(mode: string): string {
  return mode === "messages-tuple" ? "messages" : mode;
}
