/** Hands the client's end of a socket over. */
export function socketResponse(webSocket: WebSocket, protocol: string | undefined): Response {
  const headers = protocol === undefined ? {} : { "sec-websocket-protocol": protocol };
  return new Response(null, { status: 101, webSocket, headers });
}
