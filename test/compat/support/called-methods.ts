import type { Client } from "@langchain/langgraph-sdk";

/** The parts of a client that stand for a kind of thing, by their names. */
const PARTS = ["assistants", "threads", "runs", "crons", "store"] as const;

/** Notes which methods of a client are called. */
export class CalledMethods {
  readonly #uncalled = new Set<string>();

  constructor(client: Client) {
    for (const part of PARTS) {
      const prototype: object = Object.getPrototypeOf(client[part]) as object;
      for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
        if (name === "constructor" || typeof value !== "function") continue;
        const method = value as (...args: unknown[]) => unknown;
        const named = `${part}.${name}`;
        this.#uncalled.add(named);
        const noted = (...args: unknown[]): unknown => {
          this.#uncalled.delete(named);
          return method.apply(client[part], args);
        };
        Object.defineProperty(client[part], name, { value: noted });
      }
    }
  }

  /** As in "runs.wait". */
  get uncalled(): readonly string[] {
    return [...this.#uncalled];
  }
}
