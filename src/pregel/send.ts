/**
 * Asks a node to run in the next superstep with an input of its own. In the state it is the plain form
 * `{ node, args }`, so that storage needs to know nothing of it.
 */
export class Send {
  readonly lg_name = "Send";
  readonly node: string;
  readonly args: unknown;

  constructor(node: string, args: unknown) {
    this.node = node;
    this.args = args;
  }

  toJSON(): { lg_name: string; node: string; args: unknown } {
    return { lg_name: this.lg_name, node: this.node, args: this.args };
  }
}

/** A Send as it lies in the channel of tasks. */
export interface SendPacket {
  readonly node: string;
  readonly args: unknown;
}

export function isSend(value: unknown): value is Send {
  return (
    value instanceof Send ||
    (typeof value === "object" && value !== null && "lg_name" in value && value.lg_name === "Send")
  );
}

/** Also what other engines have stored: any object with a node and its arguments. */
export function isSendPacket(value: unknown): value is SendPacket {
  return (
    typeof value === "object" &&
    value !== null &&
    "node" in value &&
    typeof value.node === "string" &&
    "args" in value
  );
}
