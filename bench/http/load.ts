import { loopInput, recursionLimit } from "../graphs/loop.ts";
import { cpuTime } from "../support/cpu.ts";
import { median } from "../support/timing.ts";

const SUPERSTEPS = 10;

/** A server that speaks LangGraph's protocol. */
export interface Server {
  readonly url: string;
  /** Of its process, while it runs. */
  readonly pid: number | undefined;
  start(): Promise<void>;
  /** Its state outlives it. */
  stop(): Promise<void>;
}

export interface Load {
  /** Requests that wait for an answer at the same time. */
  readonly connections: number;
  /** In milliseconds. */
  readonly duration: number;
}

export interface Throughput {
  readonly perSecond: number;
  /** Of one work, in milliseconds. */
  readonly median: number;
  /** What the server has used of the processor for one, in milliseconds. */
  readonly cpu: number;
}

/** Repeats the work on so many connections for a while: each begins anew when it has its answer. */
export async function underLoad(
  server: Server,
  { connections, duration }: Load,
  work: () => Promise<unknown>,
): Promise<Throughput> {
  const times: number[] = [];
  const used = cpuTime(server.pid);
  const start = performance.now();
  const connection = async (): Promise<void> => {
    do {
      const begun = performance.now();
      await work();
      times.push(performance.now() - begun);
    } while (performance.now() - start < duration);
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return {
    perSecond: (times.length * 1000) / (performance.now() - start),
    median: median(times),
    cpu: (cpuTime(server.pid) - used) / times.length,
  };
}

/** Does the work so many times, on so many connections. */
export async function inTurns(
  times: number,
  connections: number,
  work: () => Promise<unknown>,
): Promise<void> {
  let left = times;
  const connection = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

/** A thread of a graph, by the requests that LangGraph's clients make. */
export class BenchThread {
  readonly #path: string;
  readonly #id = crypto.randomUUID();

  constructor({ url }: Server) {
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
