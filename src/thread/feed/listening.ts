import type { JsonObject } from "../../directory/protocol.ts";

/** What a listener wants and has had. The platform keeps it with the socket, also while the object sleeps. */
export interface Listening {
  readonly channels: readonly string[];
  /** What the metadata of the thread has to contain. */
  readonly access?: JsonObject | undefined;
  /** The number of the last event that was looked at. */
  readonly read: number;
}

export function noteRead(socket: WebSocket, listening: Listening): void {
  if (isAlive(socket)) socket.serializeAttachment(listening);
}

/** Of a socket that was accepted here. */
export function listeningOf(socket: WebSocket): Listening {
  return socket.deserializeAttachment() as Listening;
}

export function isAlive(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN;
}
