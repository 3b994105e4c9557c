import { bareListedThread, bareThread, BenchThread } from "./bench-thread.ts";
import { contest, inTurns, type Contender, type Load, type Throughput } from "./load.ts";
import type { Server } from "./server.ts";

const WARM_UP: Load = { connections: 4, duration: 1000, rounds: 3 };
const ONE: Load = { connections: 1, duration: 2000, rounds: 4 };
const MANY: Load = { connections: 32, duration: 2000, rounds: 5 };
/** What a long thread has behind it: as many as the turns of a long chat in the table of storage. */
const EARLIER_RUNS = 1000;

export interface Servers {
  readonly inMemory: Server;
  readonly onDisk: Server;
  readonly bare: Server;
  readonly reference: Server;
}

export interface Compared {
  readonly inMemory: Throughput;
  readonly onDisk: Throughput;
  readonly reference: Throughput;
}

export interface Throughputs {
  readonly newThreads: { readonly one: Compared; readonly many: Compared };
  readonly longThread: { readonly one: Compared; readonly many: Compared };
  readonly state: Compared;
  /** New objects, on as many connections as the new threads have. */
  readonly bare: Throughput;
  /** The same with rows of supersteps, an alarm while they come, and entries in a directory. */
  readonly bareListed: Throughput;
}

type Work = () => Promise<unknown>;

export async function throughputs(servers: Servers): Promise<Throughputs> {
  const bareObjects: readonly Contender[] = [bareThread, bareListedThread].map((work) => ({
    server: servers.bare,
    work: () => work(servers.bare),
  }));
  const compare = async (load: Load, workOn: (server: Server) => Work): Promise<Compared> =>
    comparedOf(await contest(contendersOf(servers, workOn), load));

  await contest([...contendersOf(servers, newThread), ...bareObjects], WARM_UP);
  const one = await compare(ONE, newThread);
  const measured = await contest([...contendersOf(servers, newThread), ...bareObjects], MANY);
  const newThreads = { one, many: comparedOf(measured) };

  const threads = await longThreads(servers);
  const longThread = {
    one: await compare(ONE, (server) => () => present(threads.get(server)).loop()),
    many: await compare(MANY, (server) => () => present(threads.get(server)).loop()),
  };
  const state = await compare(ONE, (server) => () => present(threads.get(server)).state());
  return { newThreads, longThread, state, bare: present(measured[3]), bareListed: present(measured[4]) };
}

function newThread(server: Server): Work {
  return async () => (await new BenchThread(server).create()).loop();
}

async function longThreads({
  inMemory,
  onDisk,
  reference,
}: Servers): Promise<ReadonlyMap<Server, BenchThread>> {
  const threads = new Map<Server, BenchThread>();
  for (const server of [inMemory, onDisk, reference]) {
    const thread = await new BenchThread(server).create();
    await inTurns(EARLIER_RUNS, MANY.connections, () => thread.loop());
    threads.set(server, thread);
  }
  return threads;
}

function contendersOf(
  { inMemory, onDisk, reference }: Servers,
  workOn: (server: Server) => Work,
): readonly Contender[] {
  return [inMemory, onDisk, reference].map((server) => ({ server, work: workOn(server) }));
}

/** In the order of `contendersOf`. */
function comparedOf([inMemory, onDisk, reference]: readonly Throughput[]): Compared {
  return { inMemory: present(inMemory), onDisk: present(onDisk), reference: present(reference) };
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("A server was not measured.");
  return value;
}
