/** An event of the thread as it goes to whoever listens to it. */
export interface FeedEvent {
  readonly number: number;
  readonly method: string;
  readonly namespace: readonly string[];
  /** JSON. */
  readonly text: string;
}

/** `body`: the JSON text of an object with the method and its parameters. */
export function eventText(number: number, id: string, body: string): string {
  return `{"type":"event","event_id":${JSON.stringify(id)},"seq":${number},${body.slice(1)}`;
}
