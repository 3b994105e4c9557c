import { isObject } from "../../values/containers.ts";
import { plainJson } from "../../json.ts";
import type { PlainMessage } from "./content-blocks.ts";

/** A whole message that a node has returned without an id. */
export interface NamelessMessage {
  readonly message: PlainMessage;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The namespace of the graph that it comes from. */
  readonly graph: readonly string[];
}

/**
 * Messages get their ids where the state takes them in. Until it has, those without one are kept back: clients know by its id
 * that a message which they have heard is one that the values show.
 */
export class NamelessMessages {
  #waiting: readonly NamelessMessage[] = [];
  readonly #given = new Set<unknown>();

  add(message: NamelessMessage): void {
    this.#waiting = [...this.#waiting, message];
  }

  /** Those of a graph that have their ids in what it stores. */
  stored(graph: readonly string[], state: unknown): readonly NamelessMessage[] {
    const own = this.#of(graph);
    if (own.length === 0) return [];
    const messages = messagesOf(state);
    return own.flatMap((waiting) => {
      const id = this.#storedIn(messages, waiting)?.id;
      if (id === undefined) return [];
      this.#given.add(id);
      this.#forget([waiting]);
      return [{ ...waiting, message: { ...waiting.message, id } }];
    });
  }

  /** All of a graph, whose state is known now. What the state has without an id is left to it. */
  named(graph: readonly string[], state: unknown): readonly NamelessMessage[] {
    const named = this.stored(graph, state);
    const rest = this.#of(graph);
    this.#forget(rest);
    const messages = messagesOf(state);
    return [...named, ...rest.filter((waiting) => this.#storedIn(messages, waiting) === undefined)];
  }

  /** Whether a message that was told has got this id. */
  hasGiven(id: unknown): boolean {
    return this.#given.has(id);
  }

  /** Those of which no state was seen. */
  rest(): readonly NamelessMessage[] {
    const rest = this.#waiting;
    this.#waiting = [];
    return rest;
  }

  #of(graph: readonly string[]): readonly NamelessMessage[] {
    return this.#waiting.filter((waiting) => waiting.graph.join("|") === graph.join("|"));
  }

  #forget(messages: readonly NamelessMessage[]): void {
    this.#waiting = this.#waiting.filter((waiting) => !messages.includes(waiting));
  }

  #storedIn(messages: readonly PlainMessage[], { message }: NamelessMessage): PlainMessage | undefined {
    return messages.find(({ id, ...rest }) => !this.#given.has(id) && isSame(rest, message));
  }
}

/** The newest first. */
function messagesOf(state: unknown): readonly PlainMessage[] {
  if (!isObject(state)) return [];
  const lists = [state, ...Object.values(state)].filter((value): value is unknown[] => Array.isArray(value));
  return lists
    .flat()
    .toReversed()
    .map((message) => plainJson(message) as unknown)
    .filter(isMessage);
}

function isMessage(value: unknown): value is PlainMessage {
  return isObject(value) && "content" in value;
}

/** What the state adds to a message is no matter. */
function isSame(stored: PlainMessage, message: PlainMessage): boolean {
  return ["type", "content", "tool_call_id"].every(
    (key) => JSON.stringify(stored[key]) === JSON.stringify(message[key]),
  );
}
