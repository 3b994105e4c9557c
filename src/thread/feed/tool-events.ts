import { isObject } from "../../values/containers.ts";

type Data = Readonly<Record<string, unknown>>;

/** What LangChain's callbacks say of a tool, in the words of the protocol; undefined for what it has no word for. */
export function toolEvent(said: Data): Data | undefined {
  const { toolCallId: tool_call_id = "", name: tool_name, input, data, output, error } = said;
  switch (said["event"]) {
    case "on_tool_start":
      return { event: "tool-started", tool_call_id, tool_name, input: parsed(input) };
    case "on_tool_event":
      return { event: "tool-output-delta", tool_call_id, delta: textOf(data) };
    case "on_tool_end":
      return { event: "tool-finished", tool_call_id, output };
    case "on_tool_error":
      return { event: "tool-error", tool_call_id, message: textOf(messageOf(error)) };
    default:
      return undefined;
  }
}

/** The arguments of a tool come as their JSON text. */
function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function messageOf(error: unknown): unknown {
  return isObject(error) && "message" in error ? error.message : error;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
