import type { ChannelLocator } from "../checkpoint/encoding.ts";
import type { TaskWrites } from "../checkpoint/pending-writes.ts";
import { UndecodableError } from "../errors.ts";

/** How the writes of a task are encoded: the path and, for each write, position, channel and value. */
type TaskBody = readonly [
  path: string,
  writes: readonly (readonly [index: number, channel: string, value: unknown])[],
];

export function toTaskBody({ path, writes }: TaskWrites<unknown>): TaskBody {
  return [path, writes.map(({ index, channel, value }) => [index, channel, value])];
}

export function fromTaskBody(body: unknown): TaskWrites<unknown> {
  if (!isTaskBody(body)) throw new UndecodableError("a row of writes has another form");
  const [path, writes] = body;
  return { path, writes: writes.map(([index, channel, value]) => ({ index, channel, value })) };
}

/** The channel that a path into the body leads through. */
export function channelInTask({ writes }: TaskWrites<unknown>): ChannelLocator {
  return ([, position, part, ...path]) => {
    const write = typeof position === "number" && part === 2 ? writes[position] : undefined;
    return write && { channel: write.channel, path };
  };
}

function isTaskBody(body: unknown): body is TaskBody {
  return Array.isArray(body) && typeof body[0] === "string" && Array.isArray(body[1]);
}
