import { join } from "node:path";
import { expect, it } from "vitest";
import { median, time } from "../../../bench/support/timing.ts";
import { BundledServer } from "../support/bundled-server.ts";
import { Effects } from "../support/effects.ts";
import { Random } from "../support/random.ts";
import { type Answered, codeOf, type Patience } from "./patient-client.ts";
import { ThreadLoad } from "./thread-load.ts";

const KILLS = Number(process.env["TIDEMARK_KILLS"] ?? 5);
const SEED = Number(process.env["TIDEMARK_SEED"] ?? Date.now() % 1_000_000);
const THREADS = 50;
/** Milliseconds that everything may take to come to its end when the last kill is over: a run waits two minutes at most. */
const REST = 240_000;

const wait = (delay: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delay));

interface Wire {
  readonly run_id?: string;
  readonly event_id?: string;
  readonly status: string;
  readonly checkpoint: { readonly checkpoint_id: string };
  readonly parent_checkpoint: { readonly checkpoint_id: string } | null;
}

it(
  `loses nothing and does nothing twice, however often the process is killed (seed ${SEED})`,
  {
    timeout: 2 * REST + KILLS * 10_000,
  },
  async () => {
    const patience: Patience = { deadline: Infinity };
    const server = await BundledServer.build(join(import.meta.dirname, "../fixtures/kill"));
    const effects = await Effects.open();
    try {
      await server.start();
      const loads = Array.from({ length: THREADS }, (_, index) => loadOf(index, server, effects, patience));
      const killing = kill(server, new Random(SEED), patience);
      await Promise.all(loads.map((load, index) => keepBusy(load, killing, new Random(SEED + index + 1))));
      await killing.over;
      await Promise.all(loads.map((load) => check(load, effects)));
      const sum = (count: (load: ThreadLoad) => number): number =>
        loads.map(count).reduce((left, right) => left + right, 0);
      process.stdout.write(
        `${KILLS} kills (seed ${SEED}): ${sum(({ jobs }) => jobs)} jobs, ${sum(({ acknowledged }) => acknowledged.length)} answers, ` +
          `${effects.calls.length} calls by nodes, ${sum(({ client }) => client.lost)} calls made again, ` +
          `${sum(({ stalled }) => stalled)} runs that were given up. ` +
          `Started again in ${median(killing.starts).toFixed(0)} ms, the slowest in ${Math.max(...killing.starts).toFixed(0)} ms.\n`,
      );
    } finally {
      await server.dispose();
      await effects.dispose();
    }
  },
);

function loadOf(index: number, { url }: BundledServer, effects: Effects, patience: Patience): ThreadLoad {
  const thread = `t${index}`;
  const random = new Random(SEED * 1000 + index);
  const count = (task: string): number => effects.countEnding(`${thread}/`, `/${task}`);
  return new ThreadLoad({ thread, url, effects: `${effects.url}/${thread}`, count, random, patience });
}

interface Killing {
  isOver: boolean;
  readonly over: Promise<void>;
  /** How long the server took each time to answer again, in milliseconds. */
  readonly starts: readonly number[];
}

function kill(server: BundledServer, random: Random, patience: Patience): Killing {
  const starts: number[] = [];
  const killing = { isOver: false, over: Promise.resolve(), starts };
  killing.over = (async () => {
    for (let kills = 0; kills < KILLS; kills++) {
      await wait(random.between(300, 1500));
      await server.kill();
      starts.push(await time(() => server.start()));
    }
  })().finally(() => {
    killing.isOver = true;
    patience.deadline = Date.now() + REST;
  });
  return killing;
}

async function keepBusy(load: ThreadLoad, killing: Killing, random: Random): Promise<void> {
  while (!killing.isOver) {
    await load.act();
    await wait(random.between(100, 500));
  }
}

async function check(load: ThreadLoad, effects: Effects): Promise<void> {
  const { log } = (await load.state()).values;
  const twice = log.filter((entry, index) => log.indexOf(entry) !== index);
  expect({ thread: load.path, twice }).toEqual({ thread: load.path, twice: [] });
  expect(load.expected.filter((entry) => !log.includes(entry))).toEqual([]);
  for (const answered of load.acknowledged) {
    const again = await load.client.again(answered);
    expect(lasting(again)).toEqual(lasting(answered));
  }
  const { answer: runs } = await load.client.get(`${load.path}/runs?limit=1000`);
  expect((runs as Wire[]).filter(({ status }) => status === "pending" || status === "running")).toEqual([]);
  await checkChain(load);
  checkEffects(load, effects);
}

/** What of an answer must never change. */
function lasting({ path, key, answer }: Answered): unknown {
  const { run_id, event_id, status } = answer as Wire;
  if (path.endsWith("/runs")) return { key, run_id };
  return event_id === undefined ? { key, answer } : { key, event_id, known: status !== undefined };
}

/** Each checkpoint follows the one before. */
async function checkChain({ client, path }: ThreadLoad): Promise<void> {
  let before = "";
  let expected: string | undefined;
  for (;;) {
    const { answer, status } = await client.get(`${path}/history?limit=200${before}`);
    expect({ status, code: codeOf(answer) }).toEqual({ status: 200, code: undefined });
    const states = answer as Wire[];
    for (const { checkpoint, parent_checkpoint: parent } of states) {
      if (expected !== undefined) expect(checkpoint.checkpoint_id).toBe(expected);
      expected = parent?.checkpoint_id;
    }
    const last = states.at(-1);
    if (last?.parent_checkpoint == null) return;
    before = `&before=${last.checkpoint.checkpoint_id}`;
  }
}

/**
 * A superstep begins when all tasks of the one before are recorded: none of them may be done after that. Nor may one that a
 * reader has seen as finished.
 */
function checkEffects(load: ThreadLoad, effects: Effects): void {
  const thread = load.path.split("/").at(-1) ?? "";
  const steps = effects.calls
    .filter((call) => call.startsWith(`${thread}/`))
    .map((call) => Number(call.split("/")[1]));
  const back = steps.filter((step, index) => step < (steps[index - 1] ?? 0));
  expect({ thread, back }).toEqual({ thread, back: [] });
  for (const [task, count] of load.finished)
    expect({ task, count: effects.countEnding(`${thread}/`, `/${task}`) }).toEqual({ task, count });
}
