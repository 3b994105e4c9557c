/** What a run is started with, as far as it matters here. */
interface RunInput {
  readonly kind: string;
  readonly resume?: unknown;
  readonly update?: unknown;
  readonly goto?: readonly unknown[];
}

/** Whether a thread can begin with it: it is no answer, and does not only go on with what is there. */
export function canBeginThread({ kind, resume, update, goto = [] }: RunInput): boolean {
  if (kind !== "command") return kind === "input";
  return resume === undefined && (update !== undefined || goto.length > 0);
}
