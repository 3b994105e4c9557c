import { join } from "node:path";
import { createTestHarness } from "wrangler";
import { columnsOf } from "../support/columns.ts";
import { median } from "../support/timing.ts";
import {
  TIMED_TURNS,
  TURNS,
  type ChatFigures,
  type ForkFigures,
  type ReducerFigures,
  type StateFigures,
} from "./figures.ts";
import { peers } from "./peers.ts";

const CHECKPOINTS = [10, 1000, 10_000] as const;
/** The chat that is forked in its middle. */
const FORKED = 300;

const WARM_UP = 300;
/** Times are medians of so many threads; the longest chat is one, and timed as often as it goes on. */
const ROUNDS = 4;

interface Figures {
  readonly chat: readonly ChatFigures[];
  /** Of the node that returns all that was said. */
  readonly whole: readonly ChatFigures[];
  readonly reducers: readonly ReducerFigures[];
  readonly states: readonly StateFigures[];
  readonly fork: ForkFigures;
}

/** Bytes and time of a chat as it grows: ours in workerd and durable, theirs in Node, each with its saver. */
export async function benchStorage(): Promise<string> {
  const ours = await measureOurs();
  const theirs: (readonly ChatFigures[])[] = [];
  for (const peer of peers) theirs.push(await peer.chat());
  const all = [ours.chat, ...theirs];
  const names = ["Tidemark", ...peers.map(({ name }) => name)];
  return [
    columnsOf(
      ["KB of rows / of the file", ...names],
      TURNS.map((turns) => line(turns, all, sizes)),
    ),
    columnsOf(
      ["ms a turn", ...names],
      TURNS.map((turns) => line(turns, all, times)),
    ),
    "A dash is not measured: those bytes grow with the square of the turns.",
    columnsOf(["Tidemark alone", ""], alone(ours)),
    columnsOf(["budget", "measured", "allowed", ""], budgets(ours)),
  ].join("\n\n");
}

async function measureOurs(): Promise<Figures> {
  const harness = createTestHarness({
    workers: [{ configPath: join(import.meta.dirname, "wrangler.toml") }],
  });
  const { origin } = (await harness.listen()).url;
  try {
    // Code that has not run yet is slower than any storage.
    await ask(origin, "chat", { thread: "warm-up", from: 0, to: WARM_UP });
    const chats: (readonly ChatFigures[])[] = [];
    for (let round = 0; round < ROUNDS; round++)
      chats.push(await grow(origin, "chat", `chat ${round}`, TURNS.slice(0, -1)));
    chats.push(await grow(origin, "chat", "chat", TURNS), await goOn(origin, "chat", Math.max(...TURNS)));
    const reducers: ReducerFigures[] = [];
    for (const to of TURNS) reducers.push(await ask(origin, "reducer", { thread: "reducer", to }));
    const states: StateFigures[] = [];
    for (const to of CHECKPOINTS) {
      const reads: StateFigures[] = [];
      for (let round = 0; round < ROUNDS; round++)
        reads.push(await ask(origin, "state", { thread: `state ${to} ${round}`, to }));
      states.push({ checkpoints: to, milliseconds: median(reads.map(({ milliseconds }) => milliseconds)) });
    }
    const chat = TURNS.map((turns) =>
      typical(chats.flatMap((each) => each.filter((at) => at.turns === turns))),
    );
    const whole = await grow(origin, "whole", "whole", TURNS);
    await ask(origin, "chat", { thread: "fork", from: 0, to: FORKED });
    return { chat, whole, reducers, states, fork: await ask(origin, "fork", { thread: "fork", to: FORKED }) };
  } finally {
    await harness.close();
  }
}

async function grow(
  origin: string,
  measurement: "chat" | "whole",
  thread: string,
  lengths: readonly number[],
): Promise<ChatFigures[]> {
  const figures: ChatFigures[] = [];
  for (const [index, to] of lengths.entries()) {
    figures.push(await ask(origin, measurement, { thread, from: lengths[index - 1] ?? 0, to }));
  }
  return figures;
}

/** Times more of the turns that follow, as of a chat of that length. */
async function goOn(origin: string, thread: string, turns: number): Promise<ChatFigures[]> {
  const figures: ChatFigures[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = turns + round * TIMED_TURNS;
    const next = await ask<ChatFigures>(origin, "chat", { thread, from, to: from + TIMED_TURNS });
    figures.push({ ...next, turns });
  }
  return figures;
}

/** The first one, with the median of the times. */
function typical(figures: readonly ChatFigures[]): ChatFigures {
  const [first] = figures;
  if (first === undefined) throw new Error("Nothing was measured.");
  return { ...first, milliseconds: median(figures.map(({ milliseconds }) => milliseconds)) };
}

async function ask<Answer>(
  origin: string,
  measurement: string,
  query: Readonly<Record<string, string | number>>,
): Promise<Answer> {
  const url = new URL(`/${measurement}`, origin);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const response = await fetch(url, { method: "POST" });
  if (!response.ok) throw new Error(`${url.href} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

function line(
  turns: number,
  all: readonly (readonly ChatFigures[])[],
  show: (figures: ChatFigures) => string,
): string[] {
  const cells = all.map((chat) => chat.find((figures) => figures.turns === turns));
  return [`${turns} turns`, ...cells.map((figures) => (figures === undefined ? "–" : show(figures)))];
}

function sizes({ bytes, fileBytes }: ChatFigures): string {
  return fileBytes === undefined ? kilobytes(bytes) : `${kilobytes(bytes)} / ${kilobytes(fileBytes)}`;
}

function times({ milliseconds }: ChatFigures): string {
  return milliseconds.toFixed(2);
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(0);
}

function alone({ reducers, states, fork, whole }: Figures): string[][] {
  return [
    ...whole.map((figures) => [
      `KB of rows of ${figures.turns} turns of a node that returns the whole list`,
      kilobytes(figures.bytes),
    ]),
    ...reducers.map(({ turns, milliseconds }) => [
      `reducer of a turn by itself, after ${turns} turns, ms`,
      milliseconds.toFixed(3),
    ]),
    ...states.map(({ checkpoints, milliseconds }) => [
      `cold state read at ${checkpoints} checkpoints, ms`,
      milliseconds.toFixed(3),
    ]),
    [`turn on a branch from the middle of ${FORKED} turns, ms`, fork.milliseconds.toFixed(2)],
    ["the same, bytes", String(fork.bytes)],
    ["the same, rows", String(fork.rows)],
  ];
}

function budgets({ chat, whole, reducers, states }: Figures): string[][] {
  const at = (turns: number, figures = chat) => {
    const found = figures.find((each) => each.turns === turns);
    if (found === undefined) throw new Error(`There is no figure for ${turns} turns.`);
    return found;
  };
  const wholeBytes = (turns: number) => at(turns, whole).bytes / turns;
  const beyond = (turns: number) =>
    at(turns).milliseconds - (reducers.find((each) => each.turns === turns)?.milliseconds ?? Number.NaN);
  const first = states[0]?.milliseconds ?? Number.NaN;
  const last = states.at(-1)?.milliseconds ?? Number.NaN;
  return [
    budget("MB of rows after 1,000 turns", at(1000).bytes / 1e6, 3),
    budget("MB of the file after 1,000 turns", (at(1000).fileBytes ?? Number.NaN) / 1e6, 4),
    budget(
      "bytes of 10,000 turns against 10, each turn, of the whole list",
      wholeBytes(10_000) / wholeBytes(10),
      1.5,
    ),
    budget("turn 1,000 against turn 10", at(1000).milliseconds / at(10).milliseconds, 1.3),
    budget("turn 10,000 against turn 10", at(10_000).milliseconds / at(10).milliseconds),
    budget("the same, both without the reducer's own work", beyond(10_000) / beyond(10), 1.3),
    budget("cold state at 10,000 checkpoints against 10", last / first, 1.5),
  ];
}

function budget(what: string, measured: number, allowed?: number): string[] {
  if (allowed === undefined) return [what, measured.toFixed(2), "", ""];
  return [what, measured.toFixed(2), `≤ ${allowed}`, measured <= allowed ? "met" : "MISSED"];
}
