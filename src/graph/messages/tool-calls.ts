import { isObject } from "../../values/containers.ts";
import type { ToolCall } from "./message.ts";

/** A call whose arguments are no JSON. */
interface InvalidToolCall {
  readonly id?: string;
  readonly name: string;
  readonly args: string;
  readonly error: string;
  readonly type: "invalid_tool_call";
}

interface ToolCalls {
  readonly tool_calls: ToolCall[];
  readonly invalid_tool_calls?: InvalidToolCall[];
}

/** The calls of a model's message, of which OpenAI's form has the arguments as text. */
export function readToolCalls(calls: unknown): ToolCalls {
  const valid: ToolCall[] = [];
  const invalid: InvalidToolCall[] = [];
  for (const call of Array.isArray(calls) ? calls : []) {
    const read = readToolCall(call);
    if (read.type === "invalid_tool_call") invalid.push(read);
    else valid.push(read);
  }
  return { tool_calls: valid, ...(invalid.length === 0 ? {} : { invalid_tool_calls: invalid }) };
}

function readToolCall(call: unknown): ToolCall | InvalidToolCall {
  const { function: called, id } = Object(call) as { function?: unknown; id?: string };
  // A call in the final form: its shape is what models and tools agree on.
  if (!isObject(called)) return call as ToolCall;
  const name = "name" in called ? String(called.name) : "";
  const text = "arguments" in called && typeof called.arguments === "string" ? called.arguments : "{}";
  const known = id === undefined ? { name } : { name, id };
  try {
    return { ...known, args: JSON.parse(text) as Record<string, unknown>, type: "tool_call" };
  } catch (error) {
    return { ...known, args: text, error: String(error), type: "invalid_tool_call" };
  }
}
