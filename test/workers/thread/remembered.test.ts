import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { deliveryOf } from "../../../src/thread/outbox/delivery-rows.ts";
import { ThreadStorage } from "../../../src/thread/thread-storage.ts";
import { noteReport } from "../../support/reports.ts";

const SEEDS = 12;
const STEPS = 40;
const FAR = Date.UTC(2100, 0, 1);
const BODY = { type: "msgpack", data: new Uint8Array([0xc0]) };
const KINDS = ["queue", "wait", "announcement", "cron", "delivery", "run_start", "event_log"] as const;

class Undone extends Error {}

type Pick = (below: number) => number;

function picking(seed: number): Pick {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function open(storage: DurableObjectStorage): ThreadStorage {
  return new ThreadStorage({
    storage,
    platform: {
      setAlarm: (time) => void storage.setAlarm(time),
      deleteAlarm: () => void storage.deleteAlarm(),
      reached: () => undefined,
    },
    prefix: "p",
    randomId: () => crypto.randomUUID(),
    report: noteReport,
    yieldTurn: () => Promise.resolve(),
  });
}

/** All that is remembered, as it is told. */
function told(storage: ThreadStorage, runs: readonly string[]): unknown {
  const thread = storage.thread();
  if (thread === undefined) return undefined;
  const { queue, limitQuestion, timers, answers, received, events, deliveries, keys, crons } = storage;
  return {
    thread,
    queue: queue.all(),
    question: limitQuestion.get(),
    next: timers.next(),
    timers: KINDS.map((kind) => [timers.has(kind), timers.dueTime(kind, ""), timers.dueTime(kind, "a")]),
    runs: runs.map((id) => [storage.runs.get(id), answers.ofRun(id), events.has(id)]),
    deliveries: runs.map((id) => deliveries.get(deliveryOf(id))),
    keys: keys.knownUntil(),
    crons: crons.all(),
    last: storage.runs.last(),
    received: [received.countKept(), received.kept("key", 10, 0).map(({ id }) => id)],
  };
}

/** Writes to rows of every kind that something is remembered of. */
function writes(storage: ThreadStorage, runs: string[], pick: Pick): readonly (() => void)[] {
  const { runs: rows, queue, timers, limitQuestion, answers, received, events } = storage;
  const { deliveries, keys, crons } = storage;
  let count = 0;
  const some = (): string => runs[pick(runs.length)] ?? "";
  const kind = () => KINDS[pick(KINDS.length)] ?? "queue";
  const name = (): string => (pick(2) === 0 ? "" : "a");
  const insert = (): void => {
    const id = `run ${++count}`;
    runs.push(id);
    rows.insert({
      id,
      createdAt: count,
      startAt: undefined,
      multitask: "enqueue",
      timeLimit: pick(2) === 0 ? 5 : undefined,
      isAcknowledged: true,
      request: { type: BODY.type, body: BODY.data, bodyHash: null },
      context: undefined,
    });
    if (pick(2) === 0) queue.enter(id);
  };
  const claim = (): void => {
    const run = rows.get(some());
    if (run) storage.claim(run, { startedAt: FAR + count, version: undefined, isCounted: pick(2) === 0 });
  };
  const progress = { checkpointId: undefined, supersteps: 1 };
  const answer = { checkpointId: "c", hash: "00", answeredBy: undefined, onBehalfOf: undefined };
  const cron = {
    schedule: "every 60",
    timezone: "UTC",
    enabled: true,
    request: BODY,
    endAt: undefined,
    nextAt: undefined,
    updatedAt: 0,
    assistant: undefined,
    threads: undefined,
    createdAt: 0,
    firingAt: undefined,
    lastRun: undefined,
    lastError: undefined,
  };
  const event = { key: "key", payload: BODY, delivery: undefined, receivedAt: 5 };
  return [
    insert,
    claim,
    () => queue.leave(some()),
    () => rows.noteProgress(some()),
    () => rows.noteInput(some(), 3, 1, undefined),
    () => rows.noteFault(some(), BODY),
    () => rows.noteRollback(some()),
    () => rows.end(some(), { status: "success", endedAt: count, progress }),
    () => rows.remove(some()),
    () => rows.removeEndedBefore(pick(count + 1)),
    () => timers.set(kind(), name(), FAR + pick(20)),
    () => timers.set(kind(), name(), FAR + pick(20)),
    () => timers.clear(kind(), name()),
    () => timers.clear(kind(), name()),
    () => timers.putOff({ kind: kind(), id: "", due: 0 }, FAR, { first: 1 + pick(5), longest: 100 }),
    () => limitQuestion.put({ interruptId: "i", checkpointId: "c", runId: some(), body: BODY }),
    () => limitQuestion.take(some()),
    () => limitQuestion.release(some()),
    () => answers.insert({ ...answer, interruptId: "i", runId: some(), answeredAt: count }),
    () => answers.removeOf(some()),
    () => answers.removeLost(),
    () => received.insert({ ...event, id: `event ${++count}`, run: pick(2) === 0 ? some() : undefined }),
    () => received.settle(some(), pick(2) === 0),
    () => events.insert(some(), ++count, { attempt: 1, seq: 1 }, BODY, undefined),
    () => storage.removeEvents(some()),
    () => {
      const run = some();
      deliveries.removeOf(run);
      deliveries.insert(run);
    },
    () => deliveries.release(deliveryOf(some()), count),
    () => deliveries.removeOf(some()),
    () => keys.insert({ caller: "", key: "k", hash: "h" }, some(), count),
    () => keys.remove({ caller: "", key: "k", hash: "h" }),
    () => crons.insert({ ...cron, id: `cron ${++count}` }),
    () => crons.remove(`cron ${count}`),
    () => storage.row.noteChange(pick(100)),
    () => storage.row.setMetadata({ a: pick(9) }, count),
    () => storage.row.setTtl(pick(9)),
    () => storage.row.bind(`graph ${pick(3)}`, {}),
    () => storage.tables.update("thread", "ttl", pick(9)),
  ];
}

/** A transaction with others in it, any of which may be undone. What is undone inside may be passed over outside. */
function transact(
  storage: ThreadStorage,
  runs: string[],
  pick: Pick,
  all: readonly (() => void)[],
  depth = 1,
): void {
  storage.transaction(() => {
    if (storage.thread() === undefined)
      storage.create({ tenant: "", thread_id: "t", graph: "", created_at: 0, metadata: {} });
    for (let left = pick(5); left >= 0; left--) {
      if (depth < 3 && pick(5) === 0)
        attempt(() => transact(storage, runs, pick, all, depth + 1), pick(2) === 0);
      else all[pick(all.length)]?.();
      if (pick(3) === 0) told(storage, runs);
    }
    if (pick(4) === 0) throw new Undone();
  });
}

function attempt(work: () => void, isPassedOver: boolean): void {
  try {
    work();
  } catch (error) {
    if (!isPassedOver || !(error instanceof Undone)) throw error;
  }
}

it(
  "what a thread remembers is what its rows say, whatever is written and undone",
  { timeout: 60_000 },
  async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const stub = env.THREAD.get(env.THREAD.newUniqueId());
      await runInDurableObject(stub, async (_, { storage: rows }) => {
        const pick = picking(seed);
        const storage = open(rows);
        const runs = ["run 0"];
        const all = writes(storage, runs, pick);
        for (let step = 0; step < STEPS; step++) {
          attempt(() => transact(storage, runs, pick, all), true);
          const end = pick(30);
          if (end === 0) await storage.deleteAll();
          if (end === 1) await storage.reset();
          expect(told(storage, runs), `seed ${seed}, step ${step}`).toEqual(told(open(rows), runs));
          if (storage.thread() === undefined) continue;
          expect(await rows.getAlarm(), `seed ${seed}, step ${step}`).toBe(storage.timers.next() ?? null);
        }
        await rows.deleteAlarm();
        await rows.deleteAll();
      });
    }
  },
);
