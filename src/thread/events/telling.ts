import { errorBody } from "../../errors.ts";
import type { WireError } from "../../errors.ts";
import { type LoggedEvent, modeOf } from "./logged-event.ts";

/** What comes last. */
export type FinalEvent = (
  | { readonly name: "end"; readonly data: { readonly run_id: string } }
  | { readonly name: "error"; readonly error: WireError }
) & {
  /** The run's last one; undefined where the run may not have ended, or has left nothing: then the event has no id. */
  readonly attempt: number | undefined;
};

/** How the events of a run are told to one reader. */
export interface Telling {
  /** Whether what an event comes to depends on those before it: then a reader that goes on has them read once more. */
  readonly isCumulative: boolean;
  /** What the event comes to, as text with the event's id; undefined when the reader is told nothing of it. */
  tell(event: LoggedEvent): string | undefined;
  /** Undefined when the stream just ends. */
  last(end: FinalEvent): { readonly name: string; readonly data: unknown } | undefined;
}

/** The events as they are: those of these modes, or all there are. */
export function plainTelling(modes: readonly string[] | undefined): Telling {
  return {
    isCumulative: false,
    tell(event) {
      const mode = modeOf(event);
      return modes === undefined || mode === "metadata" || modes.includes(mode) ? event.text : undefined;
    },
    last: (end) =>
      end.name === "end" ? { name: "end", data: end.data } : { name: "error", data: errorBody(end.error) },
  };
}
