import { columnsOf } from "../support/columns.ts";
import type { Throughput } from "./load.ts";
import type { Restarts } from "./restarts.ts";
import type { Compared, Throughputs } from "./throughputs.ts";

/** In milliseconds: the bundle as it is deployed answers its first request as soon as that after it was started. */
const START_BUDGET = 2000;

export function throughputTable({ newThreads, longThread, state }: Throughputs): string {
  const rows: readonly (readonly [work: string, figures: Compared])[] = [
    ["new threads, 1 connection", newThreads.one],
    ["new threads, 32 connections", newThreads.many],
    ["one long thread, 1 connection", longThread.one],
    ["one long thread, 32 connections", longThread.many],
    ["its state, 1 connection", state],
  ];
  return columnsOf(
    [
      "a second / median ms / ms of CPU of each",
      "Tidemark",
      "on a disk",
      "langgraph-api",
      "times",
      "on a disk",
    ],
    rows.map(([work, { inMemory, onDisk, reference }]) => [
      work,
      figuresOf(inMemory),
      figuresOf(onDisk),
      figuresOf(reference),
      times(inMemory, reference),
      times(onDisk, reference),
    ]),
  );
}

/** What the platform makes of the disk by itself. */
export function platformTable({ newThreads, bare, bareListed }: Throughputs): string {
  return columnsOf(
    ["on a disk, 32 connections", "a second / median ms / ms of CPU of each"],
    [
      ["new bare objects", figuresOf(bare)],
      ["new bare objects with an alarm and a directory", figuresOf(bareListed)],
      ["new threads", figuresOf(newThreads.many.onDisk)],
    ],
  );
}

function figuresOf({ perSecond, median: middle, cpu }: Throughput): string {
  return [perSecond, middle, cpu].map((figure) => figure.toFixed(1)).join(" / ");
}

function times(our: Throughput, their: Throughput): string {
  return (our.perSecond / their.perSecond).toFixed(1);
}

export function latencyTable(ours: Restarts, theirs: Restarts): string {
  const rows = [
    ["from its start to the first answer", ours.start, theirs.start],
    ["answer to a question, warm", ours.resume, theirs.resume],
    ["the first one after a restart", ours.coldResume.first, theirs.coldResume.first],
    ["others after it, of threads not touched since", ours.coldResume.others, theirs.coldResume.others],
  ] as const;
  return columnsOf(
    ["ms, on a disk", "Tidemark", "langgraph-api", "ratio"],
    rows.map(([work, our, their]) => [
      work,
      our.toFixed(1),
      their.toFixed(1),
      `1/${(their / our).toFixed(1)}`,
    ]),
  );
}

export function budgetTable({ newThreads, longThread }: Throughputs, ours: Restarts): string {
  const { one, many } = newThreads;
  const long = longThread.many;
  const least = [
    ["new threads, 32: times their runs, on a disk", many.onDisk.perSecond / many.reference.perSecond, 3],
    ["the same, both in memory", many.inMemory.perSecond / many.reference.perSecond, 3],
    ["new threads, 1: their median in ours, on a disk", one.reference.median / one.onDisk.median, 20],
    [
      "one long thread, 32: times their runs, on a disk",
      long.onDisk.perSecond / long.reference.perSecond,
      10,
    ],
    ["the same, both in memory", long.inMemory.perSecond / long.reference.perSecond, 10],
    ["one long thread, 32: runs a second, on a disk", long.onDisk.perSecond, 150],
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
