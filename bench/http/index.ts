import { BundledServer } from "../../test/e2e/support/bundled-server.ts";
import { columnsOf } from "../support/columns.ts";
import { median, time } from "../support/timing.ts";
import { BenchThread, inTurns, type Load, type Server, type Throughput, underLoad } from "./load.ts";
import { ReferenceServer } from "./reference-server.ts";

const ONE: Load = { connections: 1, duration: 4000 };
const MANY: Load = { connections: 32, duration: 4000 };
const WARM_UP: Load = { connections: 4, duration: 2000 };
/** What a long thread has behind it: as many as the turns of a long chat in the table of storage. */
const EARLIER_RUNS = 1000;
/** How often each is started. */
const STARTS = 5;
/** In milliseconds: the bundle as it is deployed answers its first request as soon as that after it was started. */
const START_BUDGET = 2000;
/** Threads that wait for an answer when a server is started again. */
const COLD = 5;

interface Figures {
  readonly newThreads: { readonly one: Throughput; readonly many: Throughput };
  readonly longThread: { readonly one: Throughput; readonly many: Throughput };
  readonly state: Throughput;
  /** In milliseconds: from the start of the process to its first answer, with the state of all that came before. */
  readonly start: number;
  /** In milliseconds. */
  readonly resume: number;
  /** After a restart, each of a thread that nobody has touched since: the first of all, and the median of the others. */
  readonly coldResume: { readonly first: number; readonly others: number };
}

/**
 * The bundle of a Worker in the runtime alone, and the in-memory reference server, each by itself on this machine, under the same
 * requests. The client is this process.
 */
export async function benchHttp(): Promise<string> {
  const ours = await benchOurs();
  const theirs = await benchTheirs();
  return `${throughputTable(ours, theirs)}\n\n${latencyTable(ours, theirs)}\n\n${budgetTable(ours, theirs)}`;
}

async function benchOurs(): Promise<Figures> {
  const bundled = await BundledServer.build(import.meta.dirname);
  try {
    return await figuresOf({
      url: bundled.url,
      get pid() {
        return bundled.pid;
      },
      start: () => bundled.start(),
      stop: () => bundled.kill(),
    });
  } finally {
    await bundled.dispose();
  }
}

async function benchTheirs(): Promise<Figures> {
  const reference = await ReferenceServer.create();
  try {
    return await figuresOf(reference);
  } finally {
    await reference.dispose();
  }
}

async function figuresOf(server: Server): Promise<Figures> {
  await server.start();
  const onNewThread = async (): Promise<unknown> => (await new BenchThread(server).create()).loop();
  await underLoad(server, WARM_UP, onNewThread);
  const newThreads = {
    one: await underLoad(server, ONE, onNewThread),
    many: await underLoad(server, MANY, onNewThread),
  };
  const long = await new BenchThread(server).create();
  await inTurns(EARLIER_RUNS, MANY.connections, () => long.loop());
  const onLongThread = (): Promise<unknown> => long.loop();
  const longThread = {
    one: await underLoad(server, ONE, onLongThread),
    many: await underLoad(server, MANY, onLongThread),
  };
  const state = await underLoad(server, ONE, () => long.state());
  const resume = median(await answered(await paused(server, 10)));
  const waiting = await paused(server, COLD);
  await server.stop();
  await server.start();
  const [first = Number.NaN, ...others] = await answered(waiting);
  const coldResume = { first, others: median(others) };
  return { newThreads, longThread, state, start: await startOf(server), resume, coldResume };
}

async function startOf(server: Server): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    await server.stop();
    times.push(await time(() => server.start()));
  }
  return median(times);
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

type Row = readonly [work: string, ours: Throughput, theirs: Throughput];

function throughputTable(ours: Figures, theirs: Figures): string {
  const rows: Row[] = [
    ["new threads, 1 connection", ours.newThreads.one, theirs.newThreads.one],
    ["new threads, 32 connections", ours.newThreads.many, theirs.newThreads.many],
    ["one long thread, 1 connection", ours.longThread.one, theirs.longThread.one],
    ["one long thread, 32 connections", ours.longThread.many, theirs.longThread.many],
    ["its state, 1 connection", ours.state, theirs.state],
  ];
  return columnsOf(
    ["a second / median ms / ms of CPU of each", "Tidemark", "langgraph-api", "times as many", "CPU"],
    rows.map(([work, our, their]) => [
      work,
      figuresOfEach(our),
      figuresOfEach(their),
      (our.perSecond / their.perSecond).toFixed(1),
      `1/${(their.cpu / our.cpu).toFixed(1)}`,
    ]),
  );
}

function figuresOfEach({ perSecond, median: middle, cpu }: Throughput): string {
  return [perSecond, middle, cpu].map((figure) => figure.toFixed(1)).join(" / ");
}

function latencyTable(ours: Figures, theirs: Figures): string {
  const rows = [
    ["from its start to the first answer", ours.start, theirs.start],
    ["answer to a question, warm", ours.resume, theirs.resume],
    ["the first one after a restart", ours.coldResume.first, theirs.coldResume.first],
    ["others after it, of threads not touched since", ours.coldResume.others, theirs.coldResume.others],
  ] as const;
  return columnsOf(
    ["ms", "Tidemark", "langgraph-api", "ratio"],
    rows.map(([work, our, their]) => [
      work,
      our.toFixed(1),
      their.toFixed(1),
      `1/${(their / our).toFixed(1)}`,
    ]),
  );
}

function budgetTable(ours: Figures, theirs: Figures): string {
  const { newThreads, longThread } = ours;
  const faster = theirs.newThreads.one.median / newThreads.one.median;
  const least = [
    [
      "new threads, 32: times their runs a second",
      newThreads.many.perSecond / theirs.newThreads.many.perSecond,
      3,
    ],
    ["new threads, 1: their median in ours", faster, 20],
    ["one long thread, 32: runs a second", longThread.many.perSecond, 150],
    ["one long thread, 32: times theirs", longThread.many.perSecond / theirs.longThread.many.perSecond, 10],
  ] as const;
  return columnsOf(
    ["budget", "measured", "wanted", ""],
    [
      ...least.map(([work, measured, wanted]) => [
        work,
        measured.toFixed(1),
        `at least ${wanted}`,
        verdict(measured >= wanted),
      ]),
      [
        "from its start to the first answer, ms",
        ours.start.toFixed(0),
        `at most ${START_BUDGET}`,
        verdict(ours.start <= START_BUDGET),
      ],
    ],
  );
}

function verdict(isMet: boolean): string {
  return isMet ? "met" : "MISSED";
}
