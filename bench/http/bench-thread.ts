import { loopInput, recursionLimit } from "../graphs/loop.ts";
import type { Server } from "./server.ts";

const SUPERSTEPS = 10;

/** A thread of a graph, by the requests that LangGraph's clients make. */
export class BenchThread {
  readonly #path: string;
  readonly #id = crypto.randomUUID();

  constructor({ url }: Pick<Server, "url">) {
    this.#path = `${url}/threads`;
  }

  async create(): Promise<this> {
    await post(this.#path, { thread_id: this.#id });
    return this;
  }

  /** A run of ten supersteps, to its end. */
  loop(): Promise<unknown> {
    return post(`${this.#path}/${this.#id}/runs/wait`, {
      assistant_id: "loop",
      input: loopInput(SUPERSTEPS),
      config: { recursion_limit: recursionLimit(SUPERSTEPS) },
      multitask_strategy: "enqueue",
    });
  }

  /** A run to its question. */
  ask(): Promise<unknown> {
    return post(`${this.#path}/${this.#id}/runs/wait`, { assistant_id: "question", input: {} });
  }

  /** Its answer, to the end of the run that it starts. */
  async answer(): Promise<void> {
    const command = { resume: "yes" };
    const state = await post(`${this.#path}/${this.#id}/runs/wait`, { assistant_id: "question", command });
    if (JSON.stringify(state) !== '{"answer":"yes"}')
      throw new Error(`The answer has come to ${JSON.stringify(state)}.`);
  }

  async state(): Promise<unknown> {
    return answerOf(await fetch(`${this.#path}/${this.#id}/state`));
  }
}

/** An object without anything of ours: made, and written to. */
export async function bareThread({ url }: Pick<Server, "url">): Promise<void> {
  const path = `${url}/${crypto.randomUUID()}`;
  await post(`${path}/create`, {});
  await post(`${path}/run`, {});
}

/** The same with all that a thread asks of the platform. */
export async function bareListedThread({ url }: Pick<Server, "url">): Promise<void> {
  const path = `${url}/${crypto.randomUUID()}`;
  await post(`${path}/create-listed`, {});
  await post(`${path}/run-listed`, {});
}

async function post(url: string, body: object): Promise<unknown> {
  return answerOf(
    await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
}

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
