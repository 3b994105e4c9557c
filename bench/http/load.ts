import { cpuTime } from "../support/cpu.ts";
import { median } from "../support/timing.ts";
import type { Server } from "./server.ts";

export interface Load {
  /** Requests that wait for an answer at the same time. */
  readonly connections: number;
  /** Of one slice, in milliseconds. */
  readonly duration: number;
  /** How often each server gets a slice. */
  readonly rounds: number;
}

export interface Throughput {
  /** The median of the slices. */
  readonly perSecond: number;
  /** Of one work, in milliseconds. */
  readonly median: number;
  /** What the server has used of the processor for one, in milliseconds. */
  readonly cpu: number;
}

/** What is done with a server again and again. */
export interface Contender {
  readonly server: Server;
  readonly work: () => Promise<unknown>;
}

interface Slice {
  readonly times: readonly number[];
  readonly perSecond: number;
  readonly cpu: number;
}

/** Each of them at work for a slice of time in turn, so that what else the machine does falls on all alike. */
export async function contest(contenders: readonly Contender[], load: Load): Promise<Throughput[]> {
  const slices: Slice[][] = contenders.map(() => []);
  for (let round = 0; round < load.rounds; round++)
    for (const [index, contender] of contenders.entries())
      slices[index]?.push(await underLoad(contender, load));
  return slices.map(throughputOf);
}

/** Repeats the work on so many connections for a while: each begins anew when it has its answer. */
async function underLoad({ server, work }: Contender, { connections, duration }: Load): Promise<Slice> {
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
  const perSecond = (times.length * 1000) / (performance.now() - start);
  return { times, perSecond, cpu: cpuTime(server.pid) - used };
}

function throughputOf(slices: readonly Slice[]): Throughput {
  const times = slices.flatMap((slice) => slice.times);
  return {
    perSecond: median(slices.map((slice) => slice.perSecond)),
    median: median(times),
    cpu: slices.reduce((sum, slice) => sum + slice.cpu, 0) / times.length,
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
