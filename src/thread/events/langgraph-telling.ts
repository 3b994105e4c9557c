import { isObject, isRecord } from "../../values/containers.ts";
import { stringifyEvent } from "../../json.ts";
import { langGraphError } from "../../langgraph-error.ts";
import { modelStream } from "./langchain-events.ts";
import type { LangGraphMode } from "../runs/run-request.ts";
import { dataOf, type LoggedEvent, modeOf, withoutId } from "./logged-event.ts";
import { isMessageData, MergedMessages, type MessageData } from "./merged-messages.ts";
import { eventId } from "./position.ts";
import type { FinalEvent, Telling } from "./telling.ts";

/** Events that an event is told as. */
type Told = readonly { readonly name: string; readonly data: unknown }[];

/**
 * The events of a run in the words of LangGraph's platform. Its mode `messages-tuple` is our `messages`; its `messages` is
 * made of that and of `values`: `messages/metadata` and `messages/partial`, with what has come of a message so far, and
 * `messages/complete`. Its `events` are LangChain's. What one event is told as has the event's id at its last part: whoever is cut off before that is
 * told all of it again.
 */
export class LangGraphTelling implements Telling {
  readonly isCumulative: boolean;
  readonly #modes: ReadonlySet<string>;
  readonly #hasEnd: boolean;
  #messages = new MergedMessages();

  constructor(modes: readonly LangGraphMode[], hasEnd: boolean) {
    this.#modes = new Set(["metadata", ...modes]);
    this.#hasEnd = hasEnd;
    this.isCumulative = this.#modes.has("messages");
  }

  tell(event: LoggedEvent): string | undefined {
    const mode = modeOf(event);
    const isWanted = this.#modes.has(mode === "messages" ? "messages-tuple" : mode);
    const made = [
      ...(this.isCumulative ? this.#messagesOf(event, mode) : []),
      ...(mode === "messages" && this.#modes.has("events") ? streamOf(dataOf(event)) : []),
    ];
    if (made.length === 0) return isWanted ? ownText(event, mode) : undefined;
    const id = eventId(event.position);
    const texts = made.map(({ name, data }, index) =>
      stringifyEvent(name, data, index === made.length - 1 ? id : undefined),
    );
    return [...(isWanted ? [withoutId(event)] : []), ...texts].join("");
  }

  last(end: FinalEvent): { readonly name: string; readonly data: unknown } | undefined {
    // Whoever cancels a run knows that it has not come to its end.
    if (end.name === "error" && end.error.code !== "run_cancelled")
      return { name: "error", data: langGraphError(end.error) };
    if (!this.#hasEnd) return undefined;
    return end.name === "end"
      ? { name: "end", data: end.data }
      : { name: "end", data: { run_id: end.error.details["run_id"], status: "interrupted" } };
  }

  #messagesOf(event: LoggedEvent, mode: string): Told {
    if (mode === "messages") return this.#partial(dataOf(event));
    if (mode === "values") return this.#complete(dataOf(event));
    // Another attempt says again what was not finished.
    if (mode === "metadata") this.#messages = this.#messages.again();
    return [];
  }

  #partial(data: unknown): Told {
    const [chunk, metadata] = Array.isArray(data) ? (data as unknown[]) : [];
    if (!isMessageData(chunk) || !isSaidByModel(chunk)) return [];
    const { message, isNew } = this.#messages.add(chunk);
    return [
      ...(isNew ? [{ name: "messages/metadata", data: { [chunk.id]: { metadata } } }] : []),
      { name: "messages/partial", data: [message] },
    ];
  }

  #complete(data: unknown): Told {
    const messages = isObject(data) && "messages" in data ? data.messages : [];
    const complete = [messages]
      .flat()
      .filter((message) => isMessageData(message) && this.#messages.complete(message));
    return complete.length === 0 ? [] : [{ name: "messages/complete", data: complete }];
  }
}

const CHECKPOINT = '"type":"checkpoint"';

/** A checkpoint of the mode `debug` says where it is, and its parent, as a state does. */
function ownText(event: LoggedEvent, mode: string): string {
  if (mode !== "debug" || !event.text.includes(CHECKPOINT)) return event.text;
  const data = dataOf(event);
  if (!isRecord(data) || data["type"] !== "checkpoint" || !isRecord(data["payload"])) return event.text;
  const { config, parentConfig } = data["payload"];
  const payload = {
    ...data["payload"],
    checkpoint: placeOf(config),
    parent_checkpoint: placeOf(parentConfig),
  };
  return stringifyEvent(event.name, { ...data, payload }, eventId(event.position));
}

function placeOf(config: unknown): unknown {
  return (isRecord(config) ? config["configurable"] : undefined) ?? null;
}

/** A piece of what a model says, as LangChain tells it. */
function streamOf(data: unknown): Told {
  const [chunk, metadata] = Array.isArray(data) ? (data as unknown[]) : [];
  if (!isMessageData(chunk) || !isSaidByModel(chunk)) return [];
  return [{ name: "events", data: modelStream(chunk, metadata) }];
}

function isSaidByModel({ type }: MessageData): boolean {
  return type === "ai" || type === "AIMessageChunk";
}
