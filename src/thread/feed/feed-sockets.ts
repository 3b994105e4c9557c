import { mayAccess } from "../access.ts";
import { GAP } from "./gap.ts";
import { isAlive, listeningOf, noteRead, type Listening } from "./listening.ts";
import type { EventLog } from "../events/event-log.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { FeedEvent } from "./feed-event.ts";
import { channelOf } from "./protocol-event.ts";
import { ThreadFeed } from "./thread-feed.ts";

/** So many characters may be on their way to a listener who has not said that they have come. */
const WINDOW = 1024 * 1024;
/** Tells a listener that the thread is gone: what it has read last means nothing any more. */
const GONE = 4404;

type SocketPlatform = Pick<ThreadPlatform, "sockets" | "acceptSocket" | "waitUntil" | "report">;

export interface Listen extends Pick<Listening, "access" | "channels"> {
  /** The number of the last event that the listener has had. */
  readonly since: number;
}

type MayHear = (listening: Pick<Listening, "access">) => boolean;

interface Pump {
  /** Sent, and not yet acknowledged, in characters. */
  onTheWay: number;
  isGoing: boolean;
  /** Something has come meanwhile. */
  isDue: boolean;
}

/**
 * Sends the thread's events to those who listen. The platform keeps their sockets, with what each has read, while the object
 * sleeps: nothing is held here but while there is something to tell.
 */
export class FeedSockets {
  readonly #feed: ThreadFeed;
  readonly #platform: SocketPlatform;
  readonly #mayHear: MayHear;
  readonly #pumps = new WeakMap<WebSocket, Pump>();
  #isWaking = false;

  constructor(feed: ThreadFeed, platform: SocketPlatform, mayHear: MayHear) {
    this.#feed = feed;
    this.#platform = platform;
    this.#mayHear = mayHear;
  }

  static of(storage: ThreadStorage, platform: ThreadPlatform, log: EventLog): FeedSockets {
    const feed = new ThreadFeed({ storage, log });
    const mayHear: MayHear = (listening) => {
      const thread = storage.thread();
      return thread === undefined || mayAccess(thread, listening);
    };
    const sockets = new FeedSockets(feed, platform, mayHear);
    log.watchThread(() => sockets.wake());
    return sockets;
  }

  /** The listener's end of the socket. Who has heard of a thread is told when there is none any more, for the caller. */
  open({ channels, access, since }: Listen): WebSocket {
    const { 0: client, 1: socket } = new WebSocketPair();
    this.#platform.acceptSocket(socket);
    noteRead(socket, { channels, access, read: this.#feed.knows(since) ? since : 0 });
    const isThere = this.#feed.hasThread && this.#mayHear({ access });
    if (since > 0 && !isThere) socket.close(GONE, "There is no such thread.");
    else this.#pump(socket);
    return client;
  }

  /** There may be more to tell, when what happens now is stored. */
  wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    queueMicrotask(() => {
      this.#isWaking = false;
      for (const socket of this.#platform.sockets()) this.#pump(socket);
    });
  }

  /** So many characters have come to the listener. */
  acknowledge(socket: WebSocket, characters: number): void {
    const pump = this.#pumpOf(socket);
    pump.onTheWay = Math.max(0, pump.onTheWay - characters);
    this.#pump(socket);
  }

  /** To be called while the thread is there. What is returned tells its listeners that it is deleted: nobody else learns of it. */
  dismissal(): () => void {
    const isNone = (listening: Listening): boolean => listening.read === 0 && !this.#mayHear(listening);
    const others = new Set(this.#platform.sockets().filter((socket) => isNone(listeningOf(socket))));
    return () => {
      for (const socket of this.#platform.sockets())
        if (!others.has(socket)) socket.close(GONE, "The thread was deleted.");
    };
  }

  #pump(socket: WebSocket): void {
    const pump = this.#pumpOf(socket);
    pump.isDue = true;
    if (pump.isGoing || !isAlive(socket)) return;
    pump.isGoing = true;
    const pumped = this.#send(socket, pump)
      // The listener asks again, of this instance or the next.
      .catch((fault: unknown) => {
        this.#platform.report(fault);
        socket.close(1011, "The thread could not be read.");
      });
    this.#platform.waitUntil(pumped);
  }

  async #send(socket: WebSocket, pump: Pump): Promise<void> {
    try {
      while (pump.isDue && pump.onTheWay < WINDOW && isAlive(socket)) {
        pump.isDue = false;
        await this.#sendAfter(socket, pump, listeningOf(socket));
      }
    } finally {
      pump.isGoing = false;
    }
  }

  async #sendAfter(socket: WebSocket, pump: Pump, listening: Listening): Promise<void> {
    if (!this.#mayHear(listening)) {
      // As of a thread that is not there, or not any more.
      if (listening.read > 0) socket.close(GONE, "There is no such thread.");
      return;
    }
    const { channels, read } = listening;
    let last = read;
    try {
      for await (const event of this.#feed.after(read)) {
        if (!isAlive(socket)) return;
        last = event.number;
        if (event.method !== GAP && !channels.includes(channelOf(event.method))) continue;
        const message = messageOf(event);
        socket.send(message);
        pump.onTheWay += message.length;
        if (pump.onTheWay < WINDOW) continue;
        pump.isDue = true;
        return;
      }
    } finally {
      if (last > read) noteRead(socket, { ...listening, read: last });
    }
  }

  #pumpOf(socket: WebSocket): Pump {
    const known = this.#pumps.get(socket);
    if (known !== undefined) return known;
    const pump = { onTheWay: 0, isGoing: false, isDue: false };
    this.#pumps.set(socket, pump);
    return pump;
  }
}

/** What is needed to pass an event on stands before it: nobody on the way has to read it. */
function messageOf({ number, method, namespace, text }: FeedEvent): string {
  return `${number}\n${method}\n${JSON.stringify(namespace)}\n${text}`;
}
