import { isObject } from "../values/containers.ts";
import { InvalidArgumentError } from "../errors.ts";
import { ROOT } from "./constants.ts";
import { isSend, type Send } from "./send.ts";

export interface CommandParams<
  Resume = unknown,
  Update = Record<string, unknown>,
  Nodes extends string = string,
> {
  /** The answer to the one pending interrupt, or a map of answers by interrupt id. */
  readonly resume?: Resume;
  /** Writes by channel, or a list of (channel, value). */
  readonly update?: Update | readonly (readonly [string, unknown])[];
  /** What runs next, besides what edges say. */
  readonly goto?: Nodes | Send | readonly (Nodes | Send)[];
  /** The graph the command is for: this one, or `Command.PARENT`. */
  readonly graph?: string;
}

/** A node's or a caller's instruction: answer, update, go. */
export class Command<Resume = unknown, Update = Record<string, unknown>, Nodes extends string = string> {
  static readonly PARENT = "__parent__";

  readonly lg_name = "Command";
  readonly lc_direct_tool_output = true;
  readonly resume?: Resume;
  readonly update?: Update | readonly (readonly [string, unknown])[];
  readonly goto: readonly (Nodes | Send)[];
  readonly graph?: string;

  constructor(params: CommandParams<Resume, Update, Nodes>) {
    if (params.resume !== undefined) this.resume = params.resume;
    if (params.update !== undefined) this.update = params.update;
    if (params.graph !== undefined) this.graph = params.graph;
    this.goto = listOf(params.goto);
  }

  toJSON(): Record<string, unknown> {
    return {
      lg_name: this.lg_name,
      resume: this.resume,
      update: this.update,
      goto: this.goto,
      graph: this.graph,
    };
  }
}

/** Only an instance is a command (of this module or of another copy of it): data from outside cannot forge one. */
export function isCommand(value: unknown): value is Command {
  if (value instanceof Command) return true;
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype !== Object.prototype && prototype !== null && "lg_name" in value && value.lg_name === "Command"
  );
}

/** The command's update as writes by channel; where the state is one value, what names no channel is that value. */
export function commandUpdates(
  command: Command,
  isOneValue: boolean,
): readonly (readonly [string, unknown])[] {
  const { update } = command;
  if (update === undefined || update === null) return [];
  if (isOneValue) return rootUpdates(update);
  if (isPairs(update)) return update;
  if (typeof update !== "object") {
    throw new InvalidArgumentError(
      "invalid_command",
      `The update of a Command must be an object of channel values, not ${typeof update}.`,
    );
  }
  return Object.entries(update);
}

function rootUpdates(
  update: object | string | number | boolean | bigint | symbol,
): readonly (readonly [string, unknown])[] {
  const named = isPairs(update) ? update : Object.entries(update);
  const isNamed = named.length > 0 && named.every(([channel]) => channel === ROOT);
  return isNamed ? named : [[ROOT, update]];
}

function isPairs(update: unknown): update is readonly (readonly [string, unknown])[] {
  return (
    Array.isArray(update) &&
    update.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string")
  );
}

function listOf<Nodes extends string>(
  goto: CommandParams<unknown, unknown, Nodes>["goto"],
): readonly (Nodes | Send)[] {
  if (goto === undefined) return [];
  if (typeof goto === "string") return [goto];
  return isSend(goto) ? [goto] : goto;
}
