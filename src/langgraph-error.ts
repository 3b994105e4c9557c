import { isObject } from "./values/containers.ts";
import type { WireError } from "./errors.ts";

/** An error as LangGraph's clients read it: `error` is the name of what was thrown. */
export interface LangGraphError {
  readonly error: string;
  readonly message: string;
  /** Our own. */
  readonly code: string;
}

/** The names that LangGraph has for what we call otherwise. */
const NAMES: Readonly<Record<string, string>> = {
  graph_recursion_limit: "GraphRecursionError",
  interrupt_not_pending: "UnknownInterruptError",
  invalid_update: "InvalidUpdateError",
  empty_input: "EmptyInputError",
  node_timeout: "NodeTimeoutError",
};

/** Of a run that failed in a node: what the node threw, in its own words. */
export function langGraphError({ code, message, details }: WireError): LangGraphError {
  const thrown = code === "node_failed" ? thrownIn(details["errors"]) : undefined;
  return { error: NAMES[code] ?? code, message, ...thrown, code };
}

function thrownIn(errors: unknown): { readonly error: string; readonly message: string } | undefined {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (!isObject(first)) return undefined;
  if (!("name" in first && typeof first.name === "string")) return undefined;
  if (!("message" in first && typeof first.message === "string")) return undefined;
  return { error: first.name, message: first.message };
}
