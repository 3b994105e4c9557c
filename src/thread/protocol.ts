import type { HooksApi } from "./answers/hook-protocol.ts";
import type { Bytes, Reply } from "./call.ts";
import type { CronsApi } from "./crons/cron-protocol.ts";
import type { ReadEvents, RunEvents } from "./events/event-protocol.ts";
import type { KeysApi } from "./idempotency/key-protocol.ts";
import type { LifeCycleApi } from "./life-cycle/life-cycle-protocol.ts";
import type { RunsApi, StartRun } from "./runs/run-protocol.ts";
import type { EditState, ReadHistory, ReadState } from "./state/state-protocol.ts";
import type { EventReceipt, SendEvent } from "./waits/sent-event.ts";

/**
 * What the router and a thread object say to each other. Requests cross as plain data; expected outcomes come back as
 * values, because classes of errors do not survive the way. What may be large comes back as bytes of JSON text.
 */

export type * from "./answers/hook-protocol.ts";
export type * from "./call.ts";
export type * from "./crons/cron-protocol.ts";
export type * from "./events/event-protocol.ts";
export type * from "./idempotency/key-protocol.ts";
export type * from "./life-cycle/life-cycle-protocol.ts";
export type * from "./runs/run-protocol.ts";
export type * from "./runs/run-request.ts";
export type * from "./state/state-protocol.ts";
export type * from "./waits/sent-event.ts";

/** The methods of a thread object. */
export interface ThreadApi extends RunsApi, HooksApi, KeysApi, CronsApi, LifeCycleApi {
  /** Starts a run, or attaches to it, and answers when it has ended. */
  invoke(start: StartRun): Promise<Reply<Bytes>>;
  /** As `invoke`; answers at once with the events of the run. `after`: the id of the last one that the caller has had. */
  stream(start: StartRun, after?: string): Promise<Reply<RunEvents>>;
  /** The same events for whoever else wants them, while the run goes on or when it has ended. */
  readEvents(read: ReadEvents): Promise<Reply<RunEvents>>;
  getState(read: ReadState): Promise<Reply<Bytes>>;
  getHistory(read: ReadHistory): Promise<Reply<Bytes>>;
  updateState(edit: EditState): Promise<Reply<Bytes>>;
  /** Gives an event to who waits for it, or keeps it. */
  sendEvent(event: SendEvent): Promise<Reply<EventReceipt>>;
}
