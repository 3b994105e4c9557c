export interface ReceivedEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The server-sent events of a response, one after the other. */
export async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent, void, undefined> {
  if (response.body === null) throw new Error("The response has no body.");
  let parts: string[] = [];
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    parts.push(chunk);
    // The end of an event may be cut in two.
    if (!`${parts.at(-2)?.at(-1) ?? ""}${chunk}`.includes("\n\n")) continue;
    const events = parts.join("").split("\n\n");
    parts = [events.pop() ?? ""];
    yield* events.map(parseEvent);
  }
  const rest = parts.join("");
  if (rest !== "") throw new Error(`The stream ends in the middle of an event: ${rest.slice(0, 200)}`);
}

export async function allEvents(response: Response): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  return events;
}

function parseEvent(text: string): ReceivedEvent {
  const [event, data, ...others] = text.split("\n");
  if (!event?.startsWith("event: ") || !data?.startsWith("data: ") || others.length > 0) {
    throw new Error(`Not an event of one line of data: ${text.slice(0, 200)}`);
  }
  return { event: event.slice("event: ".length), data: JSON.parse(data.slice("data: ".length)) };
}
