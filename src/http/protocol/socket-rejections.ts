import type { MiddlewareHandler } from "hono";
import { agreedProtocol, isUpgrade } from "../auth/socket-credential.ts";
import { notedOf, noteOfRequest } from "../middleware/request-log.ts";
import { socketResponse } from "./socket-response.ts";

/** What a close code adds to the status that the same request would get over HTTP. */
const REFUSED = 4000;

export function closeCodeOf(status: number): number {
  return REFUSED + status;
}

/**
 * Takes a WebSocket that is refused, and closes it with the status: a page sees nothing of a handshake that fails, and
 * would try again and again.
 */
export const socketRejections: MiddlewareHandler = async (context, next) => {
  await next();
  const { status } = context.res;
  const { raw } = context.req;
  if (!isUpgrade(raw) || status < 400) return;
  const { 0: client, 1: socket } = new WebSocketPair();
  socket.accept();
  noteOfRequest(context, { status });
  socket.close(closeCodeOf(status), notedOf(context)["code"] ?? "");
  context.res = undefined;
  context.res = socketResponse(client, agreedProtocol(raw));
};
