import type { CancelAction, Cancellation } from "./run-protocol.ts";

/** What became of the run. */
export function actionOf(cancellation: Cancellation): CancelAction {
  return cancellation === "taken" ? "interrupt" : cancellation;
}

/** Why, as clients of LangGraph's platform read it. */
export function reasonOf(cancellation: Cancellation): string {
  return cancellation === "taken" ? "taken:interrupt" : cancellation;
}
