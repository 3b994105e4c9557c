import { TidemarkError } from "../../errors.ts";
import { jsonBytes } from "../answer-text.ts";
import { wireError } from "../wire-errors.ts";
import type { FinalEvent } from "../events/telling.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { Bytes } from "../call.ts";
import type { NamedRun } from "./run-protocol.ts";
import { answerFault, readRunEnd } from "./run-answer.ts";
import type { RunEnd } from "./run-end.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { StateReader } from "../state/state-reader.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { waitingOf } from "../wire.ts";

export interface RunEndsParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly states: StateReader;
}

/** Tells whoever waits for a run how it ended. What it rejects with is no answer: the router asks the next instance. */
export class RunEnds {
  readonly #parts: RunEndsParts;

  constructor(parts: RunEndsParts) {
    this.#parts = parts;
  }

  /** The answer of a run, as JSON text: with the graph's output, or its whole state. */
  async answer(
    run: NamedRun,
    wire: (run: NamedRun, end: RunEnd, values: unknown) => unknown,
    scope: "output" | "state" = "output",
  ): Promise<Bytes> {
    try {
      const end = await this.#end(run);
      return jsonBytes(wire(run, end, await this.#parts.states.values(run.threadId, end, scope)));
    } catch (error) {
      throw this.#faultOf(run, error);
    }
  }

  /** What the events of a run end with. */
  async event(run: NamedRun): Promise<FinalEvent> {
    try {
      const { status, next, interrupts, waiting, checkpointId } = await this.#end(run);
      const place = { ...waitingOf(waiting), checkpoint_id: checkpointId ?? null };
      const data = { run_id: run.runId, status, next, interrupts, ...place };
      return { name: "end", data, attempt: this.#lastAttempt(run) };
    } catch (fault) {
      const error = this.#faultOf(run, fault);
      if (!(error instanceof TidemarkError)) throw error;
      const attempt = error === fault ? this.#lastAttempt(run) : undefined;
      return { name: "error", error: wireError(error), attempt };
    }
  }

  #lastAttempt({ runId }: NamedRun): number | undefined {
    const { storage } = this.#parts;
    return storage.thread() && storage.runs.get(runId)?.attempt;
  }

  async #end(run: NamedRun): Promise<RunEnd> {
    const { storage, queue } = this.#parts;
    return readRunEnd(storage, run, await queue.completion(run.runId));
  }

  #faultOf({ runId }: NamedRun, error: unknown): unknown {
    const fault = answerFault(runId, error);
    if (fault !== error) this.#parts.platform.report(error);
    return fault;
  }
}
