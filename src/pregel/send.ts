import { isObject } from "../values/containers.ts";
import { timeoutPolicyOf, type TimeoutPolicy } from "./timeout.ts";

export interface SendOptions {
  /** How long an attempt may take; goes before the node's own timeout. */
  readonly timeout?: number | TimeoutPolicy;
}

/**
 * Asks a node to run in the next superstep with an input of its own. In the state it is the plain form
 * `{ node, args, timeout? }`, so that storage needs to know nothing of it.
 */
export class Send {
  readonly lg_name = "Send";
  readonly node: string;
  readonly args: unknown;
  declare readonly timeout?: number | TimeoutPolicy;

  constructor(node: string, args: unknown, options: SendOptions = {}) {
    this.node = node;
    this.args = args;
    if (options.timeout !== undefined) this.timeout = options.timeout;
  }

  toJSON(): { lg_name: string } & SendPacket {
    return { lg_name: this.lg_name, ...packetOf(this) };
  }
}

/** A Send as it lies in the channel of tasks. */
export interface SendPacket {
  readonly node: string;
  readonly args: unknown;
  readonly timeout?: number | TimeoutPolicy;
}

/** The plain form. The timeout is kept as its limits; throws when they cannot be. */
export function packetOf({ node, args, timeout }: Send): SendPacket {
  const policy = timeoutPolicyOf(timeout, node);
  return policy === undefined ? { node, args } : { node, args, timeout: policy };
}

/** Only an instance is one (of this module or of another copy of it): data from outside cannot forge one. */
export function isSend(value: unknown): value is Send {
  if (value instanceof Send) return true;
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype !== Object.prototype && prototype !== null && "lg_name" in value && value.lg_name === "Send"
  );
}

/** Also what other engines have stored: any object with a node and its arguments. */
export function isSendPacket(value: unknown): value is SendPacket {
  return isObject(value) && "node" in value && typeof value.node === "string" && "args" in value;
}
