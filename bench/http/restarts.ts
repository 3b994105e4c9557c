import { median, time } from "../support/timing.ts";
import { BenchThread } from "./bench-thread.ts";
import type { Server } from "./server.ts";

/** How often each is started. */
const STARTS = 5;
const WARM = 10;
/** Threads that wait for an answer when a server is started again. */
const COLD = 5;

/** In milliseconds. */
export interface Restarts {
  /** From the start of the process to its first answer, with the state of all that came before. */
  readonly start: number;
  /** An answer to a question, to the end of its run. */
  readonly resume: number;
  /** After a restart, each of a thread that nobody has touched since: the first of all, and the median of the others. */
  readonly coldResume: { readonly first: number; readonly others: number };
}

/** Of a server that runs, and does in the end. */
export async function restarts(server: Server): Promise<Restarts> {
  const resume = median(await answered(await paused(server, WARM)));
  const waiting = await paused(server, COLD);
  await server.stop();
  await server.start();
  const [first = Number.NaN, ...others] = await answered(waiting);
  const times: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    await server.stop();
    times.push(await time(() => server.start()));
  }
  return { start: median(times), resume, coldResume: { first, others: median(others) } };
}

async function paused(server: Server, count: number): Promise<BenchThread[]> {
  const threads: BenchThread[] = [];
  for (let n = 0; n < count; n++) {
    const thread = await new BenchThread(server).create();
    await thread.ask();
    threads.push(thread);
  }
  return threads;
}

/** How long each answer took, one after the other. */
async function answered(threads: readonly BenchThread[]): Promise<number[]> {
  const times: number[] = [];
  for (const thread of threads) times.push(await time(() => thread.answer()));
  return times;
}
