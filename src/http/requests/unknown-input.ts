import { InvalidArgumentError } from "../../errors.ts";
import type { RunnableGraph } from "../../pregel/runnable-graph.ts";
import type { RunRequest } from "../../thread/protocol.ts";

/** An input that has no key of the state counts as an empty one, as with LangGraph. */
export function withoutUnknownInput(graph: RunnableGraph | undefined, request: RunRequest): RunRequest {
  const { input } = request;
  if (graph === undefined || input.kind !== "input") return request;
  try {
    graph.graph.checkInput(input.value);
    return request;
  } catch (error) {
    const isUnknown = error instanceof InvalidArgumentError && "keys" in error.details;
    // Whatever else is wrong with it, the thread says.
    return isUnknown ? { ...request, input: { kind: "input", value: {} } } : request;
  }
}
