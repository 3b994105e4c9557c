import { TidemarkError } from "../../errors.ts";
import { reauthenticate, reauthentications } from "../auth/reauthentication.ts";
import { check } from "../requests/body.ts";
import { stringifyJson } from "../../json.ts";
import { statusOfThrown } from "../errors.ts";
import { requestedThread, type RequestedThread } from "../thread-call.ts";
import { answer, type Commander, type Transport } from "./commands.ts";
import { ProtocolError } from "./protocol-error.ts";
import { EventStreamBody, ReconnectParams, UnsubscribeParams } from "./schemas.ts";
import { closeCodeOf } from "./socket-rejections.ts";
import { Subscriptions } from "./subscriptions.ts";
import { isRunEnd, threadEvents } from "./thread-listener.ts";

/** So many commands of a socket wait, before it is closed: whoever sends more does not wait for answers. */
const MAX_WAITING = 100;
const TRY_LATER = 1013;
/**
 * In milliseconds: so long after a subscription no run ends for its client. LangGraph's makes several, one after the other, and
 * at the end of a run gives up those that it has no answer to yet.
 */
const SETTLED_AFTER = 50;
/** The thread is deleted, as its status says over HTTP. */
const GONE = 4404;

/**
 * One client over a WebSocket: it sends commands, and hears what it has subscribed to. An event that several subscriptions
 * want comes once. The session goes with its socket.
 */
export class SocketSession {
  readonly #socket: WebSocket;
  readonly #commander: Commander;
  readonly #subscriptions = new Subscriptions();
  readonly #left = new AbortController();
  #listening = new AbortController();
  /** Commands that are not answered yet, and what they have, in characters. */
  #waiting = { commands: 0, characters: 0 };
  /** Commands are answered in their order. */
  #answered: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** What has refused the last command: its sender may send no other one. */
  #refusal: unknown;
  /** A subscription waits for what has happened before. */
  #isBehind = false;
  /** When the newest subscription was made. */
  #subscribedAt = 0;

  private constructor(socket: WebSocket, commander: Commander) {
    this.#socket = socket;
    this.#commander = commander;
  }

  /** The client's end of the socket. */
  static open(commander: Commander): WebSocket {
    const { 0: client, 1: socket } = new WebSocketPair();
    const session = new SocketSession(socket, commander);
    socket.addEventListener("message", ({ data }) => session.#take(data));
    socket.addEventListener("close", () => session.#leave());
    socket.addEventListener("error", () => session.#leave());
    socket.accept();
    void session.#watch();
    return client;
  }

  #take(message: string | ArrayBuffer): void {
    if (this.#isClosed) return;
    const size = typeof message === "string" ? message.length : message.byteLength;
    if (!this.#hasRoom(size)) return this.#close(TRY_LATER, "too_many_commands");
    this.#waiting.commands += 1;
    this.#waiting.characters += size;
    this.#answered = this.#answered
      .then(() => this.#answer(message))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#waiting.commands -= 1;
        this.#waiting.characters -= size;
      });
    // What has come is done, also when its sender has left.
    this.#commander.context.executionCtx.waitUntil(this.#answered);
  }

  /** One command is always let in: it is answered by itself when it is too large. */
  #hasRoom(size: number): boolean {
    const { commands, characters } = this.#waiting;
    const { maxBodySize } = this.#commander.options;
    return commands === 0 || (commands < MAX_WAITING && characters + size <= 2 * maxBodySize);
  }

  async #answer(message: string | ArrayBuffer): Promise<void> {
    // Whoever is shut out has nothing more done.
    if (this.#isClosed) return;
    const response = await answer(this.#commander, this.#parsed(message), {
      commands: this.#commands,
      admit: () => this.#admit(),
    });
    this.#send(stringifyJson(response));
    if (this.#refusal !== undefined) return this.#refuse(this.#refusal);
    if (this.#isBehind) this.#listen();
  }

  /** A command counts as a request: a socket is no way around the limit, nor outlives its key. */
  async #admit(): Promise<RequestedThread> {
    const { context, options } = this.#commander;
    try {
      await reauthenticate(context, options);
    } catch (error) {
      const status = statusOfThrown(error);
      if (status === 401 || status === 403) this.#refusal = error;
      throw error;
    }
    return requestedThread(context, options);
  }

  /** Who only listens is asked again from time to time. */
  async #watch(): Promise<void> {
    const { context, options } = this.#commander;
    const inTurn = (ask: () => Promise<void>): Promise<void> => {
      const asked = this.#answered.then(ask);
      this.#answered = asked.catch(() => undefined);
      return asked;
    };
    await reauthentications(context, options, this.#left.signal, { inTurn }).catch((error: unknown) => {
      if (!this.#left.signal.aborted) this.#refuse(error);
    });
  }

  #refuse(error: unknown): void {
    if (!(error instanceof TidemarkError)) return this.#fail(error);
    this.#close(closeCodeOf(statusOfThrown(error)), error.code);
  }

  /** What is no JSON, or too much, is no command either. */
  #parsed(message: string | ArrayBuffer): unknown {
    const { maxBodySize } = this.#commander.options;
    if (typeof message !== "string" || message.length > maxBodySize) return undefined;
    try {
      return JSON.parse(message);
    } catch {
      return undefined;
    }
  }

  readonly #commands: Transport["commands"] = {
    "subscription.subscribe": (params) => {
      const { since, ...filter } = check(EventStreamBody, params, "params");
      const subscription_id = crypto.randomUUID();
      this.#subscriptions.add(subscription_id, filter, since ?? 0);
      this.#isBehind = true;
      this.#subscribedAt = Date.now();
      return { result: { subscription_id, replayed_events: 0 } };
    },
    "subscription.unsubscribe": (params) => {
      const { subscription_id: id } = check(UnsubscribeParams, params, "params");
      if (!this.#subscriptions.remove(id)) throw noSuchSubscription(id);
      if (this.#subscriptions.isEmpty) this.#listening.abort();
      return { result: {} };
    },
    // Subscriptions go with their socket: the client makes them again, and gets what has happened before.
    "subscription.reconnect": (params) => {
      check(ReconnectParams, params, "params");
      return { result: { restored: false } };
    },
  };

  /** Begins anew where the subscription that is furthest behind is. */
  #listen(): void {
    this.#isBehind = false;
    this.#listening.abort();
    this.#listening = new AbortController();
    void this.#pass(this.#listening.signal).catch((error: unknown) => this.#fail(error));
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { namespace, name, address } = this.#commander.thread;
    const { access } = address;
    const { channels, since } = this.#subscriptions;
    for await (const event of threadEvents({ namespace, name, access, channels, since }, signal)) {
      if (isRunEnd(event)) await scheduler.wait(this.#subscribedAt + SETTLED_AFTER - Date.now());
      if (signal.aborted) return;
      if (this.#subscriptions.wants(event)) this.#send(event.text);
    }
    if (!signal.aborted) this.#close(GONE, "thread_deleted");
  }

  #fail(error: unknown): void {
    this.#commander.options.report(error);
    this.#close(1011, "internal");
  }

  #send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  #close(code: number, reason: string): void {
    this.#isClosed = true;
    this.#leave();
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(code, reason);
  }

  #leave(): void {
    this.#left.abort();
    this.#listening.abort();
  }
}

function noSuchSubscription(id: string): ProtocolError {
  return new ProtocolError("no_such_subscription", `There is no subscription "${id}" on this socket.`, {
    details: { subscription_id: id },
  });
}
