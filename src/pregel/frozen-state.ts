import { isObject } from "../values/containers.ts";
import { isAdopted } from "../values/adopt.ts";
import { FrozenStateError } from "../graph-errors.ts";

const ASSIGNED = /^Cannot assign to read only property '(.*)' of object/;
const ADDED = /^Cannot add property (.*), object is not extensible/;
const DELETED = /^Cannot delete property '(.*)' of/;
const LOCKED = /^Cannot change a (Map|Set|Date) that is part of the state/;

/**
 * The typed form of the TypeError that a change of frozen state ends in, or undefined for any other error. `channels`
 * are those that may be meant.
 */
export function asFrozenStateError(
  error: unknown,
  where: string,
  channels: readonly string[],
): FrozenStateError | undefined {
  return error instanceof TypeError && isFrozenStateMessage(error.message)
    ? new FrozenStateError(where, channels, error)
    : undefined;
}

/** As `asFrozenStateError`, for a node: narrows the channels of its input down to those that hold what was touched. */
export function asFrozenInputError(
  error: unknown,
  node: string,
  input: unknown,
): FrozenStateError | undefined {
  if (!(error instanceof TypeError) || !isFrozenStateMessage(error.message)) return undefined;
  const channels = isObject(input) ? Object.entries(input) : [];
  const suspects = channels.filter(([, value]) => holdsTarget(value, error.message)).map(([name]) => name);
  return new FrozenStateError(
    `Node "${node}"`,
    suspects.length > 0 ? suspects : channels.map(([name]) => name),
    error,
  );
}

function isFrozenStateMessage(message: string): boolean {
  return [ASSIGNED, ADDED, DELETED, LOCKED].some((pattern) => pattern.test(message));
}

function holdsTarget(value: unknown, message: string): boolean {
  const existing = ASSIGNED.exec(message)?.[1] ?? DELETED.exec(message)?.[1];
  const added = ADDED.exec(message)?.[1];
  const locked = LOCKED.exec(message)?.[1];
  return someObject(value, new Set(), (candidate) => {
    if (existing !== undefined) return Object.hasOwn(candidate, existing);
    if (added !== undefined)
      return Array.isArray(candidate) ? String(candidate.length) === added : !/^\d+$/.test(added);
    if (locked === "Date") return candidate instanceof Date;
    return locked === "Map" ? candidate instanceof Map : candidate instanceof Set;
  });
}

function someObject(value: unknown, visited: Set<object>, test: (candidate: object) => boolean): boolean {
  if (!isObject(value) || visited.has(value) || !isAdopted(value)) return false;
  visited.add(value);
  if (test(value)) return true;
  const parts =
    value instanceof Map
      ? [...value.keys(), ...value.values()]
      : value instanceof Set
        ? [...value]
        : Object.values(value);
  return parts.some((part) => someObject(part, visited, test));
}
