import { isRecord } from "../../values/containers.ts";
import { plainJson } from "../../json.ts";
import { INTERRUPT, START } from "../../pregel/constants.ts";
import type { StreamEvent, StreamMode } from "../../pregel/types.ts";
import type { GraphEvent } from "../events/told-graphs.ts";
import { customData } from "./custom-data.ts";
import { isPiece, MessageEvents } from "./message-events.ts";
import { type NamelessMessage, NamelessMessages } from "./nameless-messages.ts";
import type { ProtocolEvent } from "./protocol-event.ts";
import { SubgraphEvents } from "./subgraph-events.ts";
import { toolEvent } from "./tool-events.ts";

/** What the engine has to tell so that nothing is missing from the protocol. */
export const PROTOCOL_MODES: ReadonlySet<StreamMode> = new Set<StreamMode>([
  "values",
  "updates",
  "custom",
  "messages",
  "tools",
  "tasks",
  "checkpoints",
]);

type Data = Readonly<Record<string, unknown>>;

/**
 * Turns what the engine tells of one attempt of a run into events of LangGraph's protocol. It is the only place that knows
 * both.
 */
export class ProtocolEvents {
  readonly #messages = new MessageEvents();
  readonly #nameless = new NamelessMessages();
  readonly #subgraphs = new SubgraphEvents();
  /** Values whose checkpoint is still to come, by namespace: the protocol has the checkpoint first. */
  readonly #values = new Map<string, ProtocolEvent>();
  readonly #asked = new Map<string, readonly string[]>();

  /** The namespaces of the graphs inside nodes that have asked, by interrupt id. */
  get asked(): ReadonlyMap<string, readonly string[]> {
    return this.#asked;
  }

  push({ mode, payload, namespace = [] }: StreamEvent): ProtocolEvent[] {
    return [...this.#subgraphs.heard(namespace), ...this.#translate(mode, payload, namespace)];
  }

  /** Something becomes of a graph inside a node. */
  graph(namespace: string, event: GraphEvent): ProtocolEvent[] {
    return this.#subgraphs.became(namespace, event);
  }

  #translate(mode: StreamMode, payload: unknown, namespace: readonly string[]): ProtocolEvent[] {
    switch (mode) {
      case "values":
        return this.#holdValues(payload, namespace);
      case "checkpoints":
        return [...checkpoint(payload, namespace), ...this.#heldValues(namespace)];
      case "updates":
        return updates(payload, namespace);
      case "custom":
        return [{ method: "custom", namespace, data: customData(payload) }];
      case "messages":
        return this.#message(payload, namespace);
      case "tools":
        return tools(payload, namespace);
      case "tasks":
        return [...this.#heldValues(namespace), ...this.#task(payload, namespace)];
      case "debug":
        return [];
    }
  }

  #holdValues(payload: unknown, namespace: readonly string[]): ProtocolEvent[] {
    // Of a run that pauses; its questions are events of their own.
    if (isRecord(payload) && INTERRUPT in payload && Object.keys(payload).length === 1) return [];
    const earlier = [
      ...this.#heldValues(namespace),
      ...this.#pushAll(this.#nameless.named(namespace, payload)),
    ];
    this.#values.set(namespace.join("|"), { method: "values", namespace, data: payload });
    return earlier;
  }

  /** What is told with the checkpoint of a graph: its messages that have got their ids in it. */
  stored(namespace: readonly string[], values: unknown): ProtocolEvent[] {
    return this.#pushAll(this.#nameless.stored(namespace, values));
  }

  #heldValues(namespace: readonly string[]): ProtocolEvent[] {
    const key = namespace.join("|");
    const held = this.#values.get(key);
    this.#values.delete(key);
    return held === undefined ? [] : [held];
  }

  /** What no checkpoint came for, and graphs that were cut off. */
  end(): ProtocolEvent[] {
    const held = [...this.#values.values()];
    this.#values.clear();
    return [...held, ...this.#pushAll(this.#nameless.rest()), ...this.#subgraphs.end()];
  }

  /** Messages of an input are not told: the values have them, with the ids that they get there. */
  #message(payload: unknown, namespace: readonly string[]): ProtocolEvent[] {
    const [message, said] = Array.isArray(payload) ? (plainJson(payload) as unknown[]) : [];
    const metadata = isRecord(said) ? said : {};
    if (!isRecord(message) || metadata["langgraph_node"] === START) return [];
    // A node whose graph has told it gives it back.
    if (this.#nameless.hasGiven(message["id"])) return [];
    if (message["id"] === undefined && !isPiece(message)) {
      this.#nameless.add({ message, metadata, graph: namespace });
      return [];
    }
    return this.#messages.push(message, metadata, namespace);
  }

  #pushAll(messages: readonly NamelessMessage[]): ProtocolEvent[] {
    return messages.flatMap(({ message, metadata, graph }) => this.#messages.push(message, metadata, graph));
  }

  /** The input of a task is not told: it is what the values before it say. */
  #task(payload: unknown, namespace: readonly string[]): ProtocolEvent[] {
    if (!isRecord(payload)) return [];
    const { input: _, ...data } = payload;
    const event: ProtocolEvent = { method: "tasks", namespace, data };
    const ended = endedTask(payload);
    if (ended === undefined) return [event];
    for (const interrupt of ended.interrupts) this.#noteAsked(interrupt, namespace);
    return [...this.#messages.finishTask(`${ended.name}:${ended.id}`), event];
  }

  /** The innermost graph says it first. */
  #noteAsked(interrupt: unknown, namespace: readonly string[]): void {
    const id = isRecord(interrupt) ? interrupt["id"] : undefined;
    if (typeof id === "string" && namespace.length > 0 && !this.#asked.has(id))
      this.#asked.set(id, namespace);
  }
}

function checkpoint(payload: unknown, namespace: readonly string[]): ProtocolEvent[] {
  if (!isRecord(payload)) return [];
  const { config, parentConfig, metadata } = payload;
  const id = checkpointId(config);
  const { step, source } = isRecord(metadata) ? metadata : {};
  const parent = checkpointId(parentConfig);
  const data = { id, ...(parent !== undefined && { parent_id: parent }), step, source };
  return [{ method: "checkpoints", namespace, data }];
}

function checkpointId(config: unknown): unknown {
  const configurable = isRecord(config) ? config["configurable"] : undefined;
  return isRecord(configurable) ? configurable["checkpoint_id"] : undefined;
}

/** One event for each node. */
function updates(payload: unknown, namespace: readonly string[]): ProtocolEvent[] {
  if (!isRecord(payload)) return [];
  return Object.entries(payload)
    .filter(([node]) => node !== INTERRUPT && node !== "__metadata__")
    .map(([node, data]) => ({ method: "updates", namespace, node, data }));
}

function tools(payload: unknown, namespace: readonly string[]): ProtocolEvent[] {
  const data = isRecord(payload) ? toolEvent(payload) : undefined;
  return data === undefined ? [] : [{ method: "tools", namespace, data }];
}

/** A task that has come to an end, or waits. */
interface EndedTask {
  readonly id: string;
  readonly name: string;
  readonly interrupts: readonly unknown[];
}

function endedTask({ id, name, result, interrupts }: Data): EndedTask | undefined {
  if (result === undefined || typeof id !== "string" || typeof name !== "string") return undefined;
  return { id, name, interrupts: Array.isArray(interrupts) ? interrupts : [] };
}
