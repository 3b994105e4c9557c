import * as http from "node:http";

/** What a call was answered with, once it was. */
export interface Answered {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** Until when something may take, in milliseconds since 1970: not known before the server is killed no more. */
export interface Patience {
  deadline: number;
}

/** A client that makes each call again, under the same key, until it is answered. */
export class PatientClient {
  readonly #url: string;
  readonly #patience: Patience;
  #calls = 0;
  /** How often an answer did not come, or the server was not there. */
  lost = 0;

  constructor(url: string, patience: Patience) {
    this.#url = url;
    this.#patience = patience;
  }

  get(path: string): Promise<Answered> {
    return this.#insist(path, undefined, undefined);
  }

  /** `name` makes the key, together with how many calls came before. */
  post(path: string, body: unknown, name: string): Promise<Answered> {
    return this.#insist(path, body, `${name}-${this.#calls++}`);
  }

  again({ path, body, key }: Answered): Promise<Answered> {
    return this.#insist(path, body, key);
  }

  async #insist(path: string, body: unknown, key: string | undefined): Promise<Answered> {
    for (;;) {
      const response = await send(`${this.#url}${path}`, body, key).catch(() => undefined);
      const answer = response && answerOf(response);
      if (response !== undefined && answer !== undefined && isFinal(response.status, answer))
        return { path, key, body, status: response.status, answer };
      this.lost += 1;
      if (Date.now() > this.#patience.deadline)
        throw new Error(`No answer from ${path}: ${JSON.stringify({ key, body, response })}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}

interface Response {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function send(url: string, body: unknown, key: string | undefined): Promise<Response> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(sent === undefined ? {} : { "content-type": "application/json" }),
    ...(key === undefined ? {} : { "idempotency-key": key }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      url,
      { method: sent === undefined ? "GET" : "POST", agent: false, headers, timeout: 20_000 },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (chunk: string) => (text += chunk));
        incoming.on("error", reject);
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, type: incoming.headers["content-type"] ?? "", text }),
        );
      },
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer")));
    outgoing.on("error", reject);
    outgoing.end(sent);
  });
}

/** The JSON of an answer; of a stream the data of its last event. Undefined when it was cut off. */
function answerOf({ type, text }: Response): unknown {
  try {
    if (!type.startsWith("text/event-stream")) return JSON.parse(text) as unknown;
    const last = /event: (?:end|error)\ndata: (.*)\n(?:id: .*\n)?\n$/.exec(text);
    return last?.[1] === undefined ? undefined : (JSON.parse(last[1]) as unknown);
  } catch {
    return undefined;
  }
}

/** Whether it says what has become of the call; a server that fails may do better the next time. */
function isFinal(status: number, answer: unknown): boolean {
  return status < 500 || codeOf(answer) === "run_stalled";
}

/** Of an answer that is an error. */
export function codeOf(answer: unknown): string | undefined {
  const { error } = answer as { error?: { code?: string } };
  return error?.code;
}
