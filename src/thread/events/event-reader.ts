import { stringifyEvent } from "../../json.ts";
import { inModes } from "../feed/logged-form.ts";
import type { ByteStream } from "../call.ts";
import type { EventLog, LoggedPart } from "./event-log.ts";
import { loggedEvent, type LoggedEvent } from "./logged-event.ts";
import { afterAttempt, eventId, FIRST, isBefore, latest, NOTHING_READ, type Position } from "./position.ts";
import type { FinalEvent, Telling } from "./telling.ts";
import { Wakeup } from "./wakeup.ts";

export interface EventReaderOptions {
  readonly log: EventLog;
  readonly runId: string;
  readonly threadId: string;
  /** The last event that the reader has had already. */
  readonly after?: Position | undefined;
  readonly telling: Telling;
  /** Resolves when the run is over; rejects when this object cannot see to it any more. */
  readonly end: Promise<FinalEvent>;
}

/**
 * One reader of a run's events. It takes them from the log at its own pace, and holds up nothing: what it is too slow for
 * is in the rows. What is written here leaves the object only after what was stored before it is durable: the platform
 * holds back writes of this kind of stream (not those of a JavaScript stream).
 */
export class EventReader {
  readonly body: ByteStream;
  /** Ends when all events are written, or when nobody reads any more. */
  readonly done: Promise<void>;
  readonly #options: EventReaderOptions;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #wakeup = new Wakeup();
  #isLeft = false;

  constructor(options: EventReaderOptions) {
    const { readable, writable } = new IdentityTransformStream();
    this.#options = options;
    this.body = readable;
    this.#writer = writable.getWriter();
    this.done = this.#run();
  }

  /** Nobody reads on. */
  leave(): void {
    this.#isLeft = true;
    this.#wakeup.wake();
  }

  async #run(): Promise<void> {
    const { log, runId } = this.#options;
    const stop = log.watch(runId, () => this.#wakeup.wake());
    try {
      await this.#readAll();
      if (this.#isLeft) await this.#writer.abort();
      else await this.#writer.close();
    } catch (error) {
      // The reader has gone away, or has to see that the stream was broken off: the run goes on, and its log is kept.
      await this.#writer.abort(error).catch(() => undefined);
    } finally {
      stop();
    }
  }

  async #readAll(): Promise<void> {
    const { log, runId, after = NOTHING_READ, telling } = this.#options;
    const ending = this.#watchEnd();
    if (isBefore(after, FIRST)) await this.#write(this.#first().text);
    let read = telling.isCumulative ? FIRST : latest(after, FIRST);
    for (;;) {
      // What the run has said, it has said before it ended.
      const end = ending();
      const before = read;
      for await (const part of log.after(runId, read)) {
        await this.#sendPart(part, after);
        read = part.events.at(-1)?.position ?? read;
      }
      if (end !== undefined) return this.#sendLast(end, latest(read, after));
      if (read === before) await this.#wakeup.next();
      if (this.#isLeft) return;
    }
  }

  /** What is returned gives the last event when the run is over, and throws when its end will never be seen here. */
  #watchEnd(): () => FinalEvent | undefined {
    let end: { readonly event: FinalEvent } | { readonly fault: unknown } | undefined;
    void this.#options.end
      .then(
        (event) => (end = { event }),
        (fault: unknown) => (end = { fault }),
      )
      .then(() => this.#wakeup.wake());
    return () => {
      if (end !== undefined && "fault" in end) throw end.fault;
      return end?.event;
    };
  }

  #first(): LoggedEvent {
    const { runId, threadId } = this.#options;
    return loggedEvent(FIRST, "metadata", { run_id: runId, thread_id: threadId, attempt: 1 });
  }

  /** What comes after the last event that the reader has had. */
  async #sendPart({ events, isGap }: LoggedPart, after: Position): Promise<void> {
    const texts = events.flatMap(inModes).map((event) => {
      const text = this.#options.telling.tell(event);
      return isBefore(after, event.position) ? text : undefined;
    });
    const [first] = events;
    if (isGap && first !== undefined && isBefore(after, first.position)) {
      const { attempt, seq } = first.position;
      texts.unshift(loggedEvent({ attempt, seq: seq - 1 }, "gap", { next: eventId(first.position) }).text);
    }
    const text = texts.join("");
    if (text !== "") await this.#write(text);
  }

  /** Nothing to a reader that has had it: under its id it comes once, whatever is left of the log. */
  async #sendLast(end: FinalEvent, read: Position): Promise<void> {
    const last = this.#options.telling.last(end);
    if (last === undefined) return;
    const { name, data } = last;
    if (end.attempt === undefined) return this.#write(stringifyEvent(name, data));
    const position = afterAttempt(end.attempt);
    if (isBefore(read, position)) await this.#write(loggedEvent(position, name, data).text);
  }

  #write(text: string): Promise<void> {
    return this.#writer.write(this.#encoder.encode(text));
  }
}
