import { evictDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import type { BaseCheckpointSaver } from "../../../src/checkpoint/saver.ts";
import type { CheckpointConfig } from "../../../src/checkpoint/types.ts";
import { checkpointOf, collect, METADATA, putAll, threadConfig, valuesOf } from "../../contract/fixtures.ts";
import { countedSql, newCounts } from "./counted-sql.ts";
import { SaverObject } from "./durable-saver.ts";

const THREAD = threadConfig("t");

type Message = Readonly<Record<string, unknown>>;
type Reduce = (messages: readonly Message[], added: readonly Message[]) => readonly Message[];

/** About 300 bytes. */
function message(type: string): Message {
  return { id: crypto.randomUUID(), type, content: `${crypto.randomUUID()} `.repeat(7).slice(0, 240) };
}

/** The rows of a chat as the engine makes them: three checkpoints and two tasks a turn. */
async function chat(saver: BaseCheckpointSaver, turns: number, reduce: Reduce): Promise<void> {
  let config: CheckpointConfig = THREAD;
  let messages = adopt<readonly Message[]>([]);
  let version = 0;
  const versions: Record<string, number> = {};
  const put = async (
    values: Readonly<Record<string, unknown>>,
    source: "input" | "loop",
    moved: string[],
  ) => {
    version++;
    for (const channel of moved) versions[channel] = version;
    const checkpoint = checkpointOf(values, {
      channel_versions: { ...versions },
      versions_seen: {
        __input__: {},
        __start__: { __start__: version - 1 },
        model: { "branch:to:model": version - 1 },
      },
      ts: new Date(1_700_000_000_000 + version).toISOString(),
    });
    const metadata = {
      ...METADATA,
      source,
      step: version - 2,
      run_id: `01a22886-5d8a-730a-b54f-${String(version).padStart(12, "0")}`,
    };
    const newVersions = Object.fromEntries(moved.map((channel) => [channel, version]));
    config = await saver.put(config, checkpoint, metadata, newVersions);
  };
  for (let turn = 0; turn < turns; turn++) {
    const [human, ai] = [adopt([message("human")]), adopt([message("ai")])];
    await put({ __start__: adopt({ messages: human }) }, "input", ["__start__"]);
    await saver.putWrites(
      config,
      [
        ["messages", human],
        ["branch:to:model", null],
      ],
      crypto.randomUUID(),
      "~__pregel_pull, __start__",
    );
    messages = adopt(reduce(messages, human));
    await put({ messages, "branch:to:model": null }, "loop", ["__start__", "messages", "branch:to:model"]);
    await saver.putWrites(config, [["messages", ai]], crypto.randomUUID(), "~__pregel_pull, model");
    messages = adopt(reduce(messages, ai));
    await put({ messages }, "loop", ["messages", "branch:to:model"]);
  }
}

const REDUCERS: readonly (readonly [turns: number, what: string, reduce: Reduce])[] = [
  [1000, "appends", (messages, added) => [...messages, ...added]],
  [200, "builds everything anew", (messages, added) => structuredClone([...messages, ...added])],
];

interface Shared {
  readonly all: readonly unknown[];
  readonly user: { readonly name: string; readonly at: Date; readonly roles: readonly string[] };
  readonly last?: unknown;
}

const SHARED: readonly (readonly [what: string, grow: (state: Shared, added: Message) => Shared])[] = [
  ["one in each message", ({ all, user }, added) => ({ all: [...all, { ...added, user }], user })],
  [
    "one in each message, all built anew",
    ({ all, user }, added) => structuredClone({ all: [...all, { ...added, user }], user }),
  ],
  [
    "the last three of a list",
    ({ all, user }, added) => ({ all: [...all, added], user, last: [...all, added].slice(-3) }),
  ],
  [
    "the last one, which then goes into a list",
    ({ all, user, last }, added) => ({ all: last === undefined ? all : [...all, last], user, last: added }),
  ],
  [
    "the first one, pushed again",
    ({ all, user }, added) => ({
      all: [...all, added, ...(all.length % 3 === 0 ? all.slice(0, 1) : [])],
      user,
    }),
  ],
];

describe("patches", { timeout: 60_000 }, () => {
  let object: SaverObject;
  beforeEach(async () => {
    object = await SaverObject.create();
  });

  it.each(REDUCERS)(
    "%i turns of 600 bytes (STO-01) take at most 3 KB of rows and 4 KB of the file each, when the reducer %s",
    async (turns, _, reduce) => {
      const { inner } = await object.saver();
      const size = await object.run(async ({ storage }) => {
        await chat(inner, turns, reduce);
        return storage.sql.databaseSize;
      });
      const [row] = await object.query<{ bytes: number }>(`SELECT
        (SELECT sum(length(body) + coalesce(length(metadata), 0) + 90) FROM checkpoints) +
        (SELECT sum(length(body) + 60) FROM writes) AS bytes`);
      expect(row?.bytes).toBeLessThan(3000 * turns);
      expect(size).toBeLessThan(4000 * turns);
      await evictDurableObject(object.stub);
      const values = await valuesOf(await object.saver(), THREAD);
      expect(values?.["messages"]).toHaveLength(2 * turns);
    },
  );

  it.each(SHARED)("what stands in several places costs what changed: %s", async (_, grow) => {
    const turns = 160;
    const { inner } = await object.saver();
    await object.run(async () => {
      let config: CheckpointConfig = THREAD;
      let state: Shared = adopt({ all: [], user: { name: "Ann", at: new Date(0), roles: ["admin"] } });
      for (let turn = 0; turn < turns; turn++) {
        if (turn % 10 === 9) {
          inner.forget();
          state = (await valuesOf(inner, config))?.["state"] as Shared;
        }
        state = adopt(grow(state, message("human")));
        config = await putAll(inner, config, checkpointOf({ state }));
      }
      inner.forget();
      expect((await valuesOf(inner, config))?.["state"]).toStrictEqual(state);
    });
    const [row] = await object.query<{ bytes: number }>("SELECT sum(length(body)) AS bytes FROM checkpoints");
    expect(row?.bytes).toBeLessThan(2000 * turns);
  });

  it.each<[string, (turn: number) => unknown]>([
    ["deep inside", (turn) => ({ type: "human", data: { id: turn, ...message("human") } })],
    ["in the middle of a text", (turn) => [`${"a".repeat(150)}${1000 + turn}${"b".repeat(150)}`]],
  ])("a window over messages that differ %s, all built anew, costs what is new", async (_, make) => {
    const turns = 100;
    const { inner } = await object.saver();
    await object.run(async () => {
      let config: CheckpointConfig = THREAD;
      let window: readonly unknown[] = Array.from({ length: 100 }, (_empty, index) => make(index - 100));
      for (let turn = 0; turn < turns; turn++) {
        window = structuredClone([...window.slice(1), make(turn)]);
        config = await putAll(inner, config, checkpointOf({ window }));
      }
    });
    const [row] = await object.query<{ bytes: number }>("SELECT sum(length(body)) AS bytes FROM checkpoints");
    expect(row?.bytes).toBeLessThan(2000 * turns);
  });

  it("the state and ten checkpoints are read from a bounded number of rows, however many there are", async () => {
    const { inner } = await object.saver();
    const counts = newCounts();
    let log = adopt<readonly string[]>([]);
    let config: CheckpointConfig = THREAD;
    let done = 0;
    for (const length of [10, 1000, 10_000]) {
      await object.run(async () => {
        for (; done < length; done++) {
          log = adopt([...log.slice(-50), `entry ${done}`]);
          config = await putAll(inner, config, checkpointOf({ log, done }), { ...METADATA, step: done });
        }
      });
      const saver = await object.saver({ sql: (sql) => countedSql(sql, counts) });
      for (const read of [
        async () => expect((await saver.getTuple(THREAD))?.checkpoint.channel_values["done"]).toBe(done - 1),
        async () => expect(await collect(saver, THREAD, { limit: 10 })).toHaveLength(10),
        async () =>
          expect(await collect(saver, THREAD, { filter: { step: done - 5 }, limit: 1 })).toHaveLength(1),
      ]) {
        counts.rowsRead = 0;
        await object.run(() => saver.inner.forget());
        await read();
        expect(counts.rowsRead).toBeLessThan(300);
      }
    }
  });

  const items = Array.from({ length: 2000 }, (_, id) => ({ id, text: `item ${id}`, tags: [id] }));

  it.each<[string, (before: readonly (typeof items)[number][]) => unknown]>([
    ["appends", (before) => [...before, { id: -1, text: "new", tags: [] }]],
    ["replaces one", (before) => before.with(700, { id: 700, text: "other", tags: [1] })],
    [
      "removes in the middle",
      (before) => [...before.slice(0, 500), ...before.slice(502, 900), ...before.slice(910)],
    ],
    ["moves a block", (before) => [...before.slice(1500), ...before.slice(0, 1500)]],
    [
      "changes one deeply, and builds the rest anew",
      (before) => before.map((item) => ({ ...item, tags: item.id === 9 ? [10] : [...item.tags] })),
    ],
    ["builds all anew without one", (before) => structuredClone(before.filter(({ id }) => id !== 1000))],
  ])("a reducer that %s costs bytes for that alone", async (_, reduce) => {
    const saver = await object.saver();
    const root = await putAll(
      saver,
      THREAD,
      checkpointOf({ list: items, map: new Map(items.map((item) => [item.id, item])) }),
    );
    const before = (await valuesOf(saver, root))?.["list"] as typeof items;
    const list = reduce(before);
    const map = new Map((list as typeof items).map((item) => [item.id, item]));
    const config = await putAll(saver, root, checkpointOf({ list, map }));
    const [row] = await object.query<{ size: number }>(
      "SELECT length(body) AS size FROM checkpoints ORDER BY id DESC LIMIT 1",
    );
    expect(row?.size).toBeLessThan(400);
    await object.run(() => saver.inner.forget());
    expect(await valuesOf(saver, config)).toStrictEqual({ list, map });
  });

  it("a row that is put again leaves alone what is a patch of it, at any distance", async () => {
    const saver = await object.saver();
    const configs: CheckpointConfig[] = [];
    for (let n = 0; n < 140; n++) {
      const log = Array.from({ length: 600 + n }, (_, index) => `entry ${index}`);
      configs.push(await putAll(saver, configs.at(-1) ?? THREAD, checkpointOf({ log })));
    }
    const [levels] = await object.query<{ n: number }>("SELECT count(DISTINCT level) AS n FROM checkpoints");
    expect(levels?.n).toBe(3);
    const bases = await object.query<{ base: ArrayBuffer }>(
      "SELECT DISTINCT base FROM checkpoints WHERE level = 1",
    );
    expect(bases.length).toBeGreaterThan(0);
    for (const index of [0, 63, 64, 100]) {
      const id = configs[index]?.configurable?.checkpoint_id ?? "";
      await putAll(saver, configs[index - 1] ?? THREAD, checkpointOf({ log: ["other"] }, { id }));
      await object.run(() => saver.inner.forget());
      expect(await valuesOf(saver, configs[index] ?? {})).toStrictEqual({ log: ["other"] });
    }
    for (const index of [1, 62, 65, 101, 139]) {
      expect((await valuesOf(saver, configs[index] ?? {}))?.["log"]).toHaveLength(600 + index);
    }
  });

  it("a value that shrinks is soon read from no more than it has", async () => {
    const saver = await object.saver();
    const long = Array.from({ length: 3000 }, (_, index) => `entry ${index} `.repeat(5));
    let config = await putAll(saver, THREAD, checkpointOf({ log: long }));
    config = await putAll(saver, config, checkpointOf({ log: ["summary"] }));
    const [row] = await object.query<{ level: number }>(
      "SELECT level FROM checkpoints ORDER BY id DESC LIMIT 1",
    );
    expect(row?.level).toBe(4);
    expect(await valuesOf(saver, config)).toStrictEqual({ log: ["summary"] });
  });

  it("a value with a cycle is read from no more than twice its bytes", async () => {
    const { inner } = await object.saver();
    const list = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(1000, "x"));
    await object.run(async () => {
      let config: CheckpointConfig = THREAD;
      for (let turn = 0; turn < 60; turn++) {
        const loop: Record<string, unknown> = { list, turn };
        loop["self"] = loop;
        config = await putAll(inner, config, checkpointOf({ loop, other: turn }));
      }
    });
    const rows = await object.query<{ level: number; size: number; weight: number }>(
      "SELECT level, length(body) AS size, weight FROM checkpoints ORDER BY id DESC",
    );
    const chain = rows.slice(0, rows.findIndex(({ level }) => level === 4) + 1);
    expect(chain.reduce((total, { size }) => total + size, 0)).toBeLessThan(210_000);
    for (const { weight } of rows) expect(weight).toBeLessThan(110_000);
  });

  it("bodies of many megabytes are cut: a snapshot of 6 MB, and 3,000 Sends of 1 KB", async () => {
    const saver = await object.saver();
    const values = {
      list: Array.from({ length: 6000 }, (_, index) => `${index} `.padEnd(1000, "x")),
      sends: Array.from({ length: 3000 }, (_, index) => ({
        lg_name: "Send",
        node: "n",
        args: `${index}`.padEnd(1000),
      })),
    };
    const config = await putAll(saver, THREAD, checkpointOf(values));
    const [row] = await object.query<{ size: number }>("SELECT max(length(bytes)) AS size FROM parts");
    expect(row?.size).toBe(1_000_000);
    const child = await putAll(saver, config, checkpointOf({ ...values, sends: [] }));
    await object.run(() => saver.inner.forget());
    for (const [of, sends] of [
      [config, values.sends],
      [child, []],
    ] as const) {
      const read = await valuesOf(saver, of);
      expect(JSON.stringify(read) === JSON.stringify({ list: values.list, sends })).toBe(true);
    }
  });
});
