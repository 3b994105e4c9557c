import { stringifyJson } from "../json.ts";
import type { SpanPart, SpanResult } from "../pregel/span.ts";
import type { TracedRun } from "../thread/attempt/traces.ts";

/** By name; what is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Described {
  readonly name: string;
  readonly attributes: Attributes;
  /** Of what it was given and what came of it: what these are called. */
  readonly payloads?: { readonly input: string; readonly output: string };
  /** Whether it is a call to somewhere else. */
  readonly isCall?: true;
}

/** In characters of JSON text; a longer one is cut off. */
const MAX_PAYLOAD = 16_384;

const VALUES = { input: "input.value", output: "output.value" } as const;

/** In the words of the semantic conventions for generative AI, as far as they have some. */
export function describeRun({ runId, attempt, tenant, threadId, graph }: TracedRun): Described {
  return {
    name: `invoke_agent ${graph}`,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": graph,
      "gen_ai.conversation.id": threadId,
      "session.id": threadId,
      "tidemark.run.id": runId,
      "tidemark.run.attempt": attempt,
      "tidemark.tenant": tenant === "" ? undefined : tenant,
    },
    payloads: VALUES,
  };
}

export function describePart(part: SpanPart): Described {
  switch (part.kind) {
    case "superstep": {
      const { step, namespace } = part;
      const attributes = {
        "tidemark.superstep": step,
        "tidemark.namespace": namespace === "" ? undefined : namespace,
      };
      return { name: `superstep ${step}`, attributes };
    }
    case "task": {
      const attributes = { "tidemark.node": part.name, "tidemark.task.id": part.taskId };
      return { name: part.name, attributes, payloads: VALUES };
    }
    case "model":
      return {
        name: `chat ${part.model ?? part.name}`,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": part.provider,
          "gen_ai.request.model": part.model,
        },
        payloads: { input: "gen_ai.input.messages", output: "gen_ai.output.messages" },
        isCall: true,
      };
    case "tool":
      return {
        name: `execute_tool ${part.name}`,
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": part.name,
          "gen_ai.tool.call.id": part.callId,
        },
        payloads: { input: "gen_ai.tool.call.arguments", output: "gen_ai.tool.call.result" },
      };
  }
}

export function describeResult({ status, error, checkpointId, usage, model }: SpanResult): Attributes {
  return {
    "tidemark.status": status,
    "tidemark.checkpoint.id": checkpointId,
    "gen_ai.response.model": model,
    "gen_ai.usage.input_tokens": usage?.input,
    "gen_ai.usage.output_tokens": usage?.output,
    "error.type": error === undefined ? undefined : errorType(error),
  };
}

/** The code of an error, else its name: its message may quote what is nobody's business. */
function errorType(error: unknown): string {
  if (typeof error !== "object" || error === null) return typeof error;
  if ("code" in error && typeof error.code === "string") return error.code;
  return "name" in error && typeof error.name === "string" ? error.name : "_OTHER";
}

export function payloadText(read: () => unknown): string {
  const text = textOf(read);
  return text.length > MAX_PAYLOAD ? `${text.slice(0, MAX_PAYLOAD)}…` : text;
}

/** What cannot be read or written must not harm the work that it is of. */
function textOf(read: () => unknown): string {
  try {
    return stringifyJson(read());
  } catch (error) {
    return `unreadable: ${errorType(error)}`;
  }
}
