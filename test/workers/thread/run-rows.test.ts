import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { migrate } from "../../../src/storage/migrations.ts";
import { LazyTables } from "../../../src/storage/lazy-tables.ts";
import { Sql } from "../../../src/storage/sql.ts";
import { lazyTables, newestTables, threadMigrations } from "../../../src/thread/migrations.ts";
import { QueueRows } from "../../../src/thread/queue/queue-rows.ts";
import { RunRows } from "../../../src/thread/runs/run-rows.ts";
import type { Claim, EndedRun, NewRun } from "../../../src/thread/runs/run-row.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const claim: Claim = { startedAt: 5, version: "v1", isCounted: true };
const ended: EndedRun = {
  status: "success",
  endedAt: 9,
  outcome: { type: "msgpack", body: bytes("outcome"), bodyHash: null },
  progress: { checkpointId: crypto.randomUUID(), supersteps: 3 },
};

function run(id: string, more: Partial<NewRun> = {}): NewRun {
  return {
    id,
    createdAt: 1,
    startAt: undefined,
    multitask: "enqueue",
    timeLimit: undefined,
    isAcknowledged: false,
    request: { type: "msgpack", body: bytes("request"), bodyHash: null },
    context: undefined,
    ...more,
  };
}

const changes: Readonly<Record<string, (rows: RunRows, id: string) => void>> = {
  claimed: (rows, id) => rows.claim(id, claim),
  "claimed again": (rows, id) => {
    rows.claim(id, claim);
    rows.claim(id, { startedAt: 7, version: undefined, isCounted: false });
  },
  "rolled back": (rows, id) => {
    rows.noteRollback(id);
    rows.claim(id, claim);
  },
  begun: (rows, id) => rows.noteInput(id, 20, 4, { step: 4, usage: {} }),
  "begun again": (rows, id) => {
    rows.noteInput(id, 20, 4, undefined);
    rows.noteInput(id, 30, 7, { step: 4, usage: {} });
  },
  ended: (rows, id) => {
    rows.claim(id, claim);
    rows.end(id, ended);
  },
  "ended from outside": (rows, id) => {
    rows.noteFault(id, { type: "json", data: bytes("fault") });
    rows.end(id, {
      status: "interrupted",
      endedAt: 3,
      cancelled: "interrupt",
      progress: { checkpointId: undefined, supersteps: 0 },
    });
  },
};

it("a run that is entered as it is taken in is known as its row says it", async () => {
  await runInDurableObject(env.THREAD.get(env.THREAD.newUniqueId()), (_, { storage }) => {
    migrate(storage, threadMigrations, newestTables);
    const sql = new Sql(storage.sql);
    const rows = new RunRows(sql, new QueueRows(sql), new LazyTables(storage.sql, lazyTables));
    const known = rows.insert(run("a"), claim);
    expect(known).toMatchObject({ status: "running", attempt: 1, stalled: 1, startedAt: 5, place: 1 });
    expect(rows.get("a")).toBe(known);
    rows.forget();
    expect(rows.get("a")).toEqual(known);
  });
});

it.for(Object.keys(changes))("a run that is %s is known as its row says it", async (name) => {
  await runInDurableObject(env.THREAD.get(env.THREAD.newUniqueId()), (_, { storage }) => {
    migrate(storage, threadMigrations, newestTables);
    const sql = new Sql(storage.sql);
    const rows = new RunRows(sql, new QueueRows(sql), new LazyTables(storage.sql, lazyTables));
    const known: unknown[] = [];
    const read: unknown[] = [];
    for (const given of [
      run("a"),
      run("b", {
        startAt: 2,
        multitask: "interrupt",
        timeLimit: 100,
        isAcknowledged: true,
        request: { type: "msgpack", body: null, bodyHash: bytes("hash") },
        context: { type: "msgpack", data: bytes("context") },
      }),
    ]) {
      rows.insert(given);
      known.push(rows.get(given.id));
      rows.forget();
      read.push(rows.get(given.id));
      changes[name]?.(rows, given.id);
      known.push(rows.get(given.id));
      rows.forget();
      read.push(rows.get(given.id));
    }
    expect(known).toEqual(read);
    expect(rows.places.last()).toBe(name.startsWith("begun") ? 0 : 2);
  });
});
