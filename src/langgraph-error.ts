import { isObject } from "./values/containers.ts";
import type { WireError } from "./errors.ts";

/** An error as LangGraph's clients read it: `error` is the name of what was thrown. */
export interface LangGraphError {
  readonly error: string;
  readonly message: string;
  /** Our own. */
  readonly code: string;
}

/** Names that are not made of their code: LangGraph's, and those of our classes. */
const NAMES: Readonly<Record<string, string>> = {
  graph_recursion_limit: "GraphRecursionError",
  interrupt_not_pending: "UnknownInterruptError",
  interrupt_ambiguous: "UnknownInterruptError",
  state_mutated: "FrozenStateError",
  reducer_failed: "ReducerError",
  channel_load_failed: "ChannelLoadError",
};

/** Of a run that failed in a node: what the node threw, in its own words. */
export function langGraphError({ code, message, details }: WireError): LangGraphError {
  const thrown = code === "node_failed" ? thrownIn(details["errors"]) : undefined;
  return { error: NAMES[code] ?? nameOf(code), message, ...thrown, code };
}

/** As classes are named: `unknown_node` is an `UnknownNodeError`. */
function nameOf(code: string): string {
  return `${code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Error`;
}

function thrownIn(errors: unknown): { readonly error: string; readonly message: string } | undefined {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (!isObject(first)) return undefined;
  if (!("name" in first && typeof first.name === "string")) return undefined;
  if (!("message" in first && typeof first.message === "string")) return undefined;
  return { error: first.name, message: first.message };
}
