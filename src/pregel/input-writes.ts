import { isRecord } from "../values/containers.ts";
import { adopt } from "../values/adopt.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import { EmptyInputError, InvalidArgumentError } from "../errors.ts";
import type { PregelGraph } from "./types.ts";

/** What an input means for the channels of a graph. Throws a `RefusedError` for one that the graph cannot take. */
export async function inputWrites(graph: PregelGraph, value: unknown): Promise<PendingWrite[]> {
  const { inputChannels } = graph;
  graph.checkInput(value);
  const input = graph.schemas === undefined ? value : await graph.schemas.input(value);
  if (typeof inputChannels === "string") return [[inputChannels, adopt(input)]];
  if (!isRecord(input)) {
    const names = inputChannels.map((key) => `"${key}"`).join(", ");
    throw new InvalidArgumentError(
      "invalid_input",
      `The input must be an object with keys of the input channels: ${names}.`,
    );
  }
  const writes = Object.entries(input)
    .filter(([key]) => inputChannels.includes(key))
    .map(([key, part]): PendingWrite => [key, adopt(part)]);
  if (writes.length === 0) throw noInput(graph, "the input has none of their names.");
  return writes;
}

/** There is nothing that a run could do. */
export function noInput({ inputChannels }: PregelGraph, why: string): EmptyInputError {
  const names = typeof inputChannels === "string" ? `"${inputChannels}"` : inputChannels.join(", ");
  return new EmptyInputError(`There is no input for ${names}: ${why}`);
}
