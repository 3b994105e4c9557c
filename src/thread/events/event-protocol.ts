import type { ByteStream, ThreadAddress } from "../call.ts";
import type { LangGraphMode } from "../runs/run-request.ts";

/** Reads the events of a run that was started before. */
export interface ReadEvents extends ThreadAddress {
  readonly runId: string;
  /** The id of the last event that the reader has had; absent: all of them are wanted. */
  readonly after?: string | undefined;
  /** Only events of these modes; absent: all that the run was started with. */
  readonly modes?: readonly LangGraphMode[] | undefined;
}

/** The events of a run as server-sent events, each with its id. */
export interface RunEvents {
  readonly runId: string;
  readonly events: ByteStream;
  /** To be disposed of when nobody reads on: a stream tells that to its other end only when something more is written. */
  readonly reader: Disposable;
}
