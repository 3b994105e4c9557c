import type { Log, Report } from "../log.ts";
import type { CrashPoint } from "./crash-points.ts";

/** The one alarm of an object. Part of the transaction that is open, if one is. */
export interface AlarmClock {
  /** In milliseconds since 1970. */
  setAlarm(time: number): void;
  deleteAlarm(): void;
}

/** What a thread needs of the object it lives in. */
export interface ThreadPlatform extends AlarmClock {
  /** The object's own id. */
  readonly objectId: string;
  /** How long a run, or a handler of a timer, may be left alone before the alarm looks after it, in milliseconds. */
  readonly lease: number;
  /** Of the code, where the deployment says which it is. */
  readonly version: string | undefined;
  now(): number;
  wait(milliseconds: number): Promise<void>;
  /** Resolves when all that was written is durable. */
  sync(): Promise<void>;
  /** Keeps the object alive while the work goes on. */
  waitUntil(work: Promise<unknown>): void;
  readonly log: Log;
  /** Lets the platform keep a socket, also while the object sleeps. */
  acceptSocket(socket: WebSocket): void;
  /** Those that it keeps. */
  sockets(): readonly WebSocket[];
  /** Takes what nobody expected. */
  readonly report: Report;
  /** A step has been written that another one follows. Nothing here: a test may end the object. */
  reached(point: CrashPoint): void;
}
