export interface ReceivedEvent {
  readonly event: string;
  readonly data: unknown;
}

export interface IdentifiedEvent extends ReceivedEvent {
  readonly id: string | undefined;
}

/** The server-sent events of a response, one after the other. Comments are passed over. */
export async function* eventsOf(response: Response): AsyncGenerator<IdentifiedEvent, void, undefined> {
  if (response.body === null) throw new Error("The response has no body.");
  let parts: string[] = [];
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    parts.push(chunk);
    // The end of an event may be cut in two.
    if (!`${parts.at(-2)?.at(-1) ?? ""}${chunk}`.includes("\n\n")) continue;
    const events = parts.join("").split("\n\n");
    parts = [events.pop() ?? ""];
    yield* events.filter((text) => !text.startsWith(":")).map(parseEvent);
  }
  const rest = parts.join("");
  if (rest !== "") throw new Error(`The stream ends in the middle of an event: ${rest.slice(0, 200)}`);
}

/** All of them, by what they say. */
export async function allEvents(response: Response): Promise<ReceivedEvent[]> {
  return (await identifiedEvents(response)).map(({ event, data }) => ({ event, data }));
}

/** All of them with their ids. */
export async function identifiedEvents(response: Response): Promise<IdentifiedEvent[]> {
  const events: IdentifiedEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  return events;
}

const EVENT = /^event: ([^\n]*)\ndata: ([^\n]*)(?:\nid: ([^\n]*))?$/;

function parseEvent(text: string): IdentifiedEvent {
  const [, event, data, id] = EVENT.exec(text) ?? [];
  if (event === undefined || data === undefined) {
    throw new Error(`Not an event of one line of data: ${text.slice(0, 200)}`);
  }
  return { event, data: JSON.parse(data), id };
}
