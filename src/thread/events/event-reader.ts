import { stringifyEvent } from "../../json.ts";
import type { Bytes } from "../protocol.ts";
import type { EventLog, LoggedPart } from "./event-log.ts";
import { loggedEvent, type LoggedEvent } from "./logged-event.ts";
import { afterAttempt, eventId, FIRST, isBefore, NOTHING_READ, type Position } from "./position.ts";
import { Wakeup } from "./wakeup.ts";

/** What comes last. */
export interface FinalEvent {
  readonly name: "end" | "error";
  readonly data: unknown;
  /** The run's last one; undefined where the run may not have ended, or has left nothing: then the event has no id. */
  readonly attempt: number | undefined;
}

export interface EventReaderOptions {
  readonly log: EventLog;
  readonly runId: string;
  readonly threadId: string;
  /** The last event that the reader has had already. */
  readonly after?: Position | undefined;
  /** Whether the reader wants to have events of this name. */
  readonly wants: (name: string) => boolean;
  /** Resolves when the run is over; rejects when this object cannot see to it any more. */
  readonly end: Promise<FinalEvent>;
}

/**
 * One reader of a run's events. It takes them from the log at its own pace, and holds up nothing: what it is too slow for
 * is in the rows. What is written here leaves the object only after what was stored before it is durable: the platform
 * holds back writes of this kind of stream (not those of a JavaScript stream).
 */
export class EventReader {
  readonly body: Bytes;
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
    const { log, runId, after = NOTHING_READ } = this.#options;
    const ending = this.#watchEnd();
    let read = after;
    if (isBefore(read, FIRST)) {
      await this.#send([this.#first()]);
      read = FIRST;
    }
    for (;;) {
      // What the run has said, it has said before it ended.
      const end = ending();
      const before = read;
      for await (const part of log.after(runId, read)) {
        await this.#sendPart(part);
        read = part.events.at(-1)?.position ?? read;
      }
      if (end !== undefined) return this.#sendLast(end, read);
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

  #sendPart({ events, isGap }: LoggedPart): Promise<void> {
    const wanted = events.filter(({ name }) => this.#options.wants(name));
    const [first] = events;
    if (!isGap || first === undefined) return this.#send(wanted);
    const { attempt, seq } = first.position;
    return this.#send([
      loggedEvent({ attempt, seq: seq - 1 }, "gap", { next: eventId(first.position) }),
      ...wanted,
    ]);
  }

  /** Nothing to a reader that has had it: under its id it comes once, whatever is left of the log. */
  async #sendLast({ name, data, attempt }: FinalEvent, read: Position): Promise<void> {
    if (attempt === undefined) return this.#write(stringifyEvent(name, data));
    const position = afterAttempt(attempt);
    if (isBefore(read, position)) await this.#send([loggedEvent(position, name, data)]);
  }

  async #send(events: readonly LoggedEvent[]): Promise<void> {
    if (events.length > 0) await this.#write(events.map(({ text }) => text).join(""));
  }

  #write(text: string): Promise<void> {
    return this.#writer.write(this.#encoder.encode(text));
  }
}
