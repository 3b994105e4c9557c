import type { ThreadPlatform } from "../platform.ts";
import type { ReadEvents, RunEvents } from "../protocol.ts";
import type { RunEnds } from "../run-ends.ts";
import { wanting } from "../wire.ts";
import type { EventLog } from "./event-log.ts";
import { EventReader } from "./event-reader.ts";
import { positionOf } from "./position.ts";
import { ReaderHandle } from "./reader-handle.ts";

/** Gives the events of a run to whoever asks for them. */
export class EventReaders {
  readonly #log: EventLog;
  readonly #ends: RunEnds;
  readonly #platform: ThreadPlatform;

  constructor(log: EventLog, ends: RunEnds, platform: ThreadPlatform) {
    this.#log = log;
    this.#ends = ends;
    this.#platform = platform;
  }

  open(read: ReadEvents): RunEvents {
    const { runId, threadId, after, modes } = read;
    const reader = new EventReader({
      log: this.#log,
      runId,
      threadId,
      after: after === undefined ? undefined : positionOf(after),
      wants: wanting(modes),
      end: this.#ends.event(read),
    });
    this.#platform.waitUntil(reader.done);
    return { runId, events: reader.body, reader: new ReaderHandle(reader) };
  }
}
