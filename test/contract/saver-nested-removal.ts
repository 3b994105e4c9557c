import { beforeEach, describe, expect, it } from "vitest";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import { CheckpointIds } from "../../src/checkpoint/id.ts";
import type { CheckpointConfig } from "../../src/checkpoint/types.ts";
import { checkpointOf, collect, METADATA, putAll, threadConfig, valuesOf } from "./fixtures.ts";
import type { MakeSaver } from "./fixtures.ts";

const ROOT = threadConfig("t");
const MINUTE = 60_000;

type Values = Readonly<Record<string, unknown>>;

function idOf(config: CheckpointConfig | undefined): string {
  return config?.configurable?.checkpoint_id ?? "";
}

function namespaceOf(config: CheckpointConfig | undefined): string {
  return config?.configurable?.checkpoint_ns ?? "";
}

/** So long that what is inside of a task refers to that of the graph around instead of having it, too. */
const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ text: `line ${index} `.padEnd(100, "lorem ") }));

/** What graphs in each other have stored, when what is around them goes. */
export function nestedRemovalContract(makeSaver: MakeSaver): void {
  let saver: BaseCheckpointSaver;
  let now: number;
  let ids: CheckpointIds;
  /** What every checkpoint had when it was put, by its id. */
  let stored: Map<string, Values>;
  beforeEach(async () => {
    ({ saver } = await makeSaver());
    now = 0;
    ids = new CheckpointIds(
      () => now,
      (length) => crypto.getRandomValues(new Uint8Array(length)),
    );
    stored = new Map();
  });

  async function put(
    at: CheckpointConfig,
    values: Values,
    parents: Readonly<Record<string, string>>,
    run: string,
  ): Promise<CheckpointConfig> {
    const checkpoint = checkpointOf(values, { id: ids.next(0) });
    stored.set(checkpoint.id, values);
    return putAll(saver, at, checkpoint, { ...METADATA, parents, run_id: run });
  }

  /** What a graph that goes on from here is given of the graph around: the very values that the saver hands out. */
  async function logOf(config: CheckpointConfig): Promise<unknown> {
    return (await valuesOf(saver, config))?.["log"];
  }

  /** Checkpoints of the root graph, in the task of each a visit of a graph, in which there is another, all of one run. */
  async function putVisits(count: number): Promise<CheckpointConfig[]> {
    const roots: CheckpointConfig[] = [];
    for (let index = 0; index < count; index++) {
      now = index * MINUTE;
      const run = `run ${index}`;
      const root = await put(roots.at(-1) ?? ROOT, { log: lines(20 + index), step: index }, {}, run);
      roots.push(root);
      const parents: Record<string, string> = { "": idOf(root) };
      let around = root;
      for (const ns of [`node:${index}`, `node:${index}|inner:${index}`]) {
        const log = await logOf(around);
        const begun = await put(threadConfig("t", ns), { __start__: { log } }, parents, run);
        around = await put(begun, { log: [...lines(20 + index), { text: ns }] }, parents, run);
        parents[ns] = idOf(around);
      }
    }
    return roots;
  }

  /** Each checkpoint that is there has what it had; returns how many each namespace has. */
  async function kept(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const { config } of await collect(saver, { configurable: { thread_id: "t" } })) {
      expect(await valuesOf(saver, config), namespaceOf(config)).toEqual(stored.get(idOf(config)));
      const ns = namespaceOf(config);
      counts[ns] = (counts[ns] ?? 0) + 1;
    }
    return counts;
  }

  const visits = (first: number, end: number, each: number) =>
    Object.fromEntries(
      Array.from({ length: end - first }, (_, index) => [
        `node:${first + index}`,
        `node:${first + index}|inner:${first + index}`,
      ])
        .flat()
        .map((ns) => [ns, each]),
    );

  describe("graphs in each other, when what is around them goes", () => {
    it("are there as they were beside the newest checkpoint", async () => {
      await putVisits(4);
      expect(await kept()).toEqual({ "": 4, ...visits(0, 4, 2) });
      await saver.prune(["t"]);
      expect(await kept()).toEqual({ "": 1, ...visits(3, 4, 1) });
    });

    it("are there as they were beside the last so many", async () => {
      await putVisits(5);
      await saver.prune(["t"], { keepLast: 2 });
      expect(await kept()).toEqual({ "": 2, ...visits(3, 5, 2) });
    });

    it("are there as they were beside what is no older than a time", async () => {
      await putVisits(4);
      await saver.prune(["t"], { olderThan: 2 * MINUTE });
      expect(await kept()).toEqual({ "": 2, ...visits(2, 4, 2) });
    });

    it("go with the runs that have made what is around them, and not with those before and after", async () => {
      await putVisits(4);
      await saver.deleteForRuns(["run 1", "run 2"]);
      expect(await kept()).toEqual({ "": 2, ...visits(0, 1, 2), ...visits(3, 4, 2) });
    });

    it.each<readonly [string, () => Promise<void>]>([
      ["what is not the newest", () => saver.prune(["t"])],
      ["what is old", () => saver.prune(["t"], { olderThan: MINUTE })],
      ["its run", () => saver.deleteForRuns(["run 0"])],
    ])(
      "stay where a later checkpoint has them, when that in which they began goes with %s",
      async (_, remove) => {
        const [first = ROOT] = await putVisits(1);
        const [begun] = await collect(saver, threadConfig("t", "node:0"), { limit: 1 });
        now = MINUTE;
        const second = { "": idOf(await put(first, { log: lines(30), step: 1 }, {}, "run 1")) };
        const values = { log: [...lines(20), { text: "later" }] };
        const later = await put(begun?.config ?? ROOT, values, second, "run 1");
        await remove();
        expect(await kept()).toEqual({ "": 1, "node:0": 1 });
        expect((await saver.getTuple(later))?.parentConfig).toBeUndefined();
        await put(later, { log: [...values.log, { text: "last" }] }, second, "run 2");
        expect(await kept()).toEqual({ "": 1, "node:0": 2 });
      },
    );

    it("keep what their tasks have written of what is around them", async () => {
      const roots = await putVisits(3);
      const log = await logOf(roots[2] ?? ROOT);
      const [inside] = await collect(saver, threadConfig("t", "node:2"), { limit: 1 });
      await saver.putWrites(inside?.config ?? {}, [["log", log]], "task");
      await saver.putWrites(roots[2] ?? {}, [["other", log]], "task");
      await saver.prune(["t"]);
      expect((await saver.getTuple(inside?.config ?? {}))?.pendingWrites).toEqual([["task", "log", log]]);
      expect((await saver.getTuple(ROOT))?.pendingWrites).toEqual([["task", "other", log]]);
    });
  });
}
