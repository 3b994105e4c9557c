import type { HookKey } from "../../hooks/hook-keys.ts";

/** How questions are answered by links, and who is told of runs. */
export interface OutboxOptions {
  /** Where runs of a graph are told of, by its name. */
  readonly webhooks: Readonly<Record<string, string>>;
  /** Hosts that may be told although they are not on the internet. */
  readonly allowed: readonly string[];
  /** What messages are signed with. */
  readonly secrets: () => readonly string[];
  /** What links are signed with; undefined: messages have none. */
  readonly links: (() => LinkOptions) | undefined;
  /** Posts a message. */
  readonly send: (target: URL, init: RequestInit) => Promise<Response>;
}

export interface LinkOptions {
  readonly keys: readonly HookKey[];
  /** What the links begin with. */
  readonly origin: string;
  /** How long a link is good for, in milliseconds. */
  readonly expiresIn: number;
}
