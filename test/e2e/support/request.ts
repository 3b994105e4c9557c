import * as http from "node:http";

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface RequestOptions {
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** One request on a connection of its own, so that none is left over from a server that was killed. */
export function request(url: string, { method, body }: RequestOptions = {}): Promise<Answer> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const options: http.RequestOptions = {
    method: method ?? (sent === undefined ? "GET" : "POST"),
    agent: false,
    timeout: 60_000,
    headers: sent === undefined ? {} : { "content-type": "application/json" },
  };
  return new Promise((resolve, reject) => {
    const outgoing = http.request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`No answer from ${url}`)));
    outgoing.on("error", reject);
    outgoing.end(sent);
  });
}

/** A request whose answer is JSON. */
export async function requestJson<Body>(
  url: string,
  options?: RequestOptions,
): Promise<{ readonly status: number; readonly body: Body }> {
  const { status, text } = await request(url, options);
  return { status, body: JSON.parse(text) as Body };
}
