const MARK = "bearer.";

/** Whether a request opens a WebSocket. */
export function isUpgrade(request: Request): boolean {
  return request.headers.get("upgrade")?.toLowerCase() === "websocket";
}

/**
 * The request as authentication reads it. A browser's WebSocket cannot send headers: it names its key among the
 * subprotocols, as `bearer.<key>`, where no log of addresses has it.
 */
export function withSocketCredential(request: Request): Request {
  if (!isUpgrade(request) || request.headers.has("authorization")) return request;
  const key = offered(request).find((protocol) => protocol.startsWith(MARK));
  if (key === undefined) return request;
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${key.slice(MARK.length)}`);
  return new Request(request, { headers });
}

/** The subprotocol that is agreed on, if any was offered: never the one with the key. */
export function agreedProtocol(request: Request): string | undefined {
  return offered(request).find((protocol) => !protocol.startsWith(MARK));
}

function offered(request: Request): readonly string[] {
  const header = request.headers.get("sec-websocket-protocol") ?? "";
  return header.split(",").flatMap((protocol) => protocol.trim() || []);
}
