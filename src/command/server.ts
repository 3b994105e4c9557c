import { CommandError } from "./command-error.ts";

export interface Server {
  readonly url: string;
  readonly apiKey: string | undefined;
}

/** Where the server is, and the key for one that wants one. */
export function serverAt(url: string | undefined): Server {
  if (url === undefined) throw new CommandError("Say where the server is: --to http://localhost:8787");
  return { url, apiKey: process.env["TIDEMARK_API_KEY"] };
}

export function urlOn({ url }: Server, path: string): URL {
  return new URL(path, url.endsWith("/") ? url : `${url}/`);
}

/** Sends JSON, and answers with what the server says. */
export async function callServer<Answer>(
  server: Server,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const url = urlOn(server, path);
  const request = {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(server.apiKey !== undefined && { authorization: `Bearer ${server.apiKey}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const response = await fetch(url, request).catch((cause: unknown) => {
    throw new CommandError(`${url.origin} does not answer: is the server running?`, cause);
  });
  const text = await response.text();
  if (!response.ok) throw new CommandError(`${url.href} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Answer;
}
