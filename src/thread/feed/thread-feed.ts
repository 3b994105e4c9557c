import type { EventLog } from "../events/event-log.ts";
import { runEnd } from "../runs/run-answer.ts";
import type { PlacedRun, RunRow } from "../runs/run-row.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { eventNumber, lastNumber, placeOf } from "./event-number.ts";
import type { FeedEvent } from "./feed-event.ts";
import { gapBefore } from "./gap.ts";
import { loggedFeed } from "./logged-feed.ts";
import { beginning, BEGUN, ending } from "./run-boundary.ts";

/** So many of the runs that came last are told to whoever comes anew. */
const TOLD_RUNS = 100;

const NOTHING_TOLD = { attempt: 0, seq: 0 };

export interface ThreadFeedParts {
  readonly storage: ThreadStorage;
  readonly log: EventLog;
}

/**
 * The events of all runs of the thread, one run after the other as they were entered. All of them can be read again, under
 * the same numbers, for as long as their runs are there; what the runs have told themselves, for as long as their logs are.
 */
export class ThreadFeed {
  readonly #parts: ThreadFeedParts;

  constructor(parts: ThreadFeedParts) {
    this.#parts = parts;
  }

  get hasThread(): boolean {
    return this.#parts.storage.thread() !== undefined;
  }

  /** Whether a number was given out by the thread as it is: not by one of the same name that is gone. */
  knows(number: number): boolean {
    const { storage } = this.#parts;
    return placeOf(number).place <= (storage.thread() === undefined ? 0 : storage.runs.places.last());
  }

  /** All that there is now after the event with this number. */
  async *after(number: number): AsyncGenerator<FeedEvent, void, undefined> {
    const { storage } = this.#parts;
    if (storage.thread() === undefined) return;
    let read = this.#begin(number);
    for (;;) {
      const run = storage.thread() && storage.runs.places.from(placeOf(read + 1).place);
      if (run === undefined) return;
      for await (const event of this.#ofRun(run, read)) if (event.number > read) yield event;
      // What comes of a run that goes on is read the next time.
      if (!run.isOver) return;
      read = lastNumber(run.place);
    }
  }

  /** Who is far behind, or new, begins with the runs of which something is kept. */
  #begin(number: number): number {
    const { runs } = this.#parts.storage;
    if (placeOf(number + 1).place >= runs.places.last()) return number;
    return Math.max(number, lastNumber((runs.places.firstTold(TOLD_RUNS) ?? 1) - 1));
  }

  /** As of now: what the run has said, it has said before it ended. Of one that goes on its row is read only to begin with. */
  async *#ofRun(placed: PlacedRun, read: number): AsyncGenerator<FeedEvent, void, undefined> {
    const { id, place, isOver } = placed;
    const { storage, log } = this.#parts;
    const graph = storage.thread()?.graph ?? "";
    const isBegun = read >= eventNumber({ place, position: BEGUN });
    const run = isBegun && !isOver ? undefined : storage.runs.get(id);
    if (run !== undefined) {
      if (!this.#isTold(run)) return;
      const answered = storage.answers.ofRun(id).map(({ interruptId }) => interruptId);
      yield* beginning(run, graph, answered);
    }
    const at = placeOf(read);
    const from = at.place === place ? at.position : NOTHING_TOLD;
    for await (const { events, isGap } of log.after(id, from)) {
      const [first] = events;
      if (isGap && first !== undefined) yield gapBefore(placed, first.position);
      yield* loggedFeed(placed, events);
    }
    const thread = storage.thread();
    if (!isOver || run === undefined || thread === undefined) return;
    yield* ending(run, graph, await runEnd(storage, thread.thread_id, run));
  }

  /** A run that may yet be refused, and leave no trace, is told of when something of it is there. */
  #isTold({ id, isAcknowledged, inputApplied, endedAt }: RunRow): boolean {
    return isAcknowledged || inputApplied || endedAt !== undefined || this.#parts.log.has(id);
  }
}
