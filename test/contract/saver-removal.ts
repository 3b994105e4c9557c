import { beforeEach, describe, expect, it } from "vitest";
import { TASKS } from "../../src/checkpoint/constants.ts";
import { CheckpointIds } from "../../src/checkpoint/id.ts";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import { DeltaSnapshot } from "../../src/checkpoint/delta-snapshot.ts";
import type { CheckpointConfig, CheckpointMetadata } from "../../src/checkpoint/types.ts";
import {
  checkpointOf,
  collect,
  listIds,
  METADATA,
  nextId,
  putAll,
  threadConfig,
  valuesOf,
} from "./fixtures.ts";
import type { MakeSaver, OpenSaver } from "./fixtures.ts";

const ROOT = threadConfig("t");

function idOf(config: CheckpointConfig | undefined): string | undefined {
  return config?.configurable?.checkpoint_id;
}

/** The metadata of a checkpoint inside of a task of the root graph's checkpoint. */
function inside(root: CheckpointConfig, more: Partial<CheckpointMetadata> = {}): CheckpointMetadata {
  return { ...METADATA, parents: { "": idOf(root) ?? "" }, ...more };
}

export function removalContract(makeSaver: MakeSaver): void {
  let open: OpenSaver;
  let saver: BaseCheckpointSaver;
  beforeEach(async () => {
    open = await makeSaver();
    ({ saver } = open);
  });

  /** A line of checkpoints: `once` is written by the first alone, `n` by each. */
  async function putLine(
    start: CheckpointConfig,
    length: number,
    metadata: Partial<CheckpointMetadata> = {},
  ): Promise<CheckpointConfig[]> {
    const line: CheckpointConfig[] = [];
    for (let step = 0; step < length; step++) {
      const isFirst = step === 0;
      line.push(
        await saver.put(
          line.at(-1) ?? start,
          checkpointOf(isFirst ? { once: { a: [1] }, n: 0 } : { n: step }, {
            channel_versions: { once: 1, n: step + 1 },
          }),
          { ...METADATA, step, ...metadata },
          isFirst ? { once: 1, n: 1 } : { n: step + 1 },
        ),
      );
    }
    return line;
  }

  async function parentOf(config: CheckpointConfig | undefined): Promise<string | undefined> {
    return idOf((await saver.getTuple(config ?? {}))?.parentConfig);
  }

  describe("prune", () => {
    it("keeps the newest checkpoint of each namespace, with all its values and writes (TTL-03)", async () => {
      const line = await putLine(ROOT, 4);
      const nested = await putLine(threadConfig("t", "child:1"), 3);
      for (const [index, config] of line.entries()) await saver.putWrites(config, [["n", index]], "task");
      await saver.prune(["t"]);
      expect(await collect(saver, { configurable: { thread_id: "t" } })).toHaveLength(2);
      const tuple = await saver.getTuple(ROOT);
      expect(tuple?.config).toStrictEqual(line[3]);
      expect(tuple?.checkpoint.channel_values).toStrictEqual({ once: { a: [1] }, n: 3 });
      expect(tuple?.metadata).toStrictEqual({ ...METADATA, step: 3 });
      expect(tuple?.pendingWrites).toStrictEqual([["task", "n", 3]]);
      expect(tuple?.parentConfig).toBeUndefined();
      expect(await valuesOf(saver, nested[2] ?? {})).toStrictEqual({ once: { a: [1] }, n: 2 });
      expect(await saver.getTuple(line[2] ?? {})).toBeUndefined();
    });

    it("leaves nothing of the writes of a removed checkpoint", async () => {
      const [first, second] = await putLine(ROOT, 2);
      await saver.putWrites(first ?? {}, [["n", 1]], "task");
      await saver.prune(["t"]);
      await putAll(saver, second ?? {}, checkpointOf({}, { id: idOf(first) ?? "" }));
      expect((await saver.getTuple(first ?? {}))?.pendingWrites).toStrictEqual([]);
    });

    it("keeps the last so many, and the history of what is kept", async () => {
      const line = await putLine(ROOT, 6);
      await saver.prune(["t"], { keepLast: 3 });
      const kept = line.slice(3);
      expect(await listIds(saver, ROOT)).toStrictEqual(kept.map(idOf).toReversed());
      for (const [index, config] of kept.entries()) {
        expect(await valuesOf(saver, config)).toStrictEqual({ once: { a: [1] }, n: 3 + index });
        expect(await parentOf(config)).toBe(index === 0 ? undefined : idOf(kept[index - 1]));
      }
      await saver.prune(["t"], { keepLast: 10 });
      expect(await listIds(saver, ROOT)).toHaveLength(3);
    });

    it("removes only what is older than a time, and never the newest", async () => {
      let now = 0;
      const ids = new CheckpointIds(
        () => now,
        (length) => new Uint8Array(length),
      );
      for (let parent: CheckpointConfig = ROOT; now < 50; now += 10)
        parent = await putAll(saver, parent, checkpointOf({ now }, { id: ids.next(0) }));
      const times = async () =>
        (await collect(saver, ROOT)).map((tuple) => tuple.checkpoint.channel_values["now"]);
      await saver.prune(["t"], { olderThan: 20 });
      expect(await times()).toStrictEqual([40, 30, 20]);
      await saver.prune(["t"], { olderThan: new Date(40), keepLast: 2 });
      expect(await times()).toStrictEqual([40, 30]);
      await saver.prune(["t"], { olderThan: Number.MAX_SAFE_INTEGER });
      expect(await times()).toStrictEqual([40]);
    });

    it("goes on where it was: at the head, and on branches from what is kept", async () => {
      const line = await putLine(ROOT, 5);
      await saver.prune(["t"], { keepLast: 2 });
      for (const parent of line.slice(3)) {
        const child = checkpointOf({ extra: 1 }, { channel_versions: { once: 1, n: 9, extra: 1 } });
        const config = await saver.put(parent, child, METADATA, { extra: 1 });
        const { n } = (await valuesOf(saver, parent)) ?? {};
        expect(await valuesOf(saver, config)).toStrictEqual({ once: { a: [1] }, n, extra: 1 });
        expect(await parentOf(config)).toBe(idOf(parent));
      }
    });

    it("keeps branches apart whose common ancestor goes", async () => {
      const [, fork] = await putLine(ROOT, 2);
      const heads: CheckpointConfig[] = [];
      for (const n of [7, 8]) {
        const child = checkpointOf({ n }, { channel_versions: { once: 1, n } });
        heads.push(await saver.put(fork ?? {}, child, METADATA, { n }));
      }
      await saver.prune(["t"], { keepLast: 2 });
      expect(await listIds(saver, ROOT)).toStrictEqual(heads.map(idOf).toReversed());
      for (const [index, head] of heads.entries()) {
        expect(await valuesOf(saver, head)).toStrictEqual({ once: { a: [1] }, n: 7 + index });
        expect(await parentOf(head)).toBeUndefined();
      }
    });

    it("removes all of a thread on demand, and touches no other", async () => {
      await putLine(ROOT, 3);
      await putLine(threadConfig("t", "child:1"), 1);
      await putLine(threadConfig("other"), 3);
      await saver.prune(["t", "no such thread"], { strategy: "delete" });
      await saver.prune([]);
      await saver.prune(["no such thread"]);
      expect(await collect(saver, { configurable: { thread_id: "t" } })).toStrictEqual([]);
      expect(await collect(saver, threadConfig("other"))).toHaveLength(3);
    });

    it.each([
      { keepLast: 0 },
      { keepLast: 1.5 },
      { olderThan: NaN },
      { olderThan: new Date(NaN) },
      { strategy: "delete" as const, keepLast: 3 },
      { strategy: "oldest" as never },
    ])("refuses %j", async (options) => {
      await putLine(ROOT, 2);
      await expect(saver.prune(["t"], options)).rejects.toMatchObject({ code: "invalid_prune" });
      expect(await listIds(saver, ROOT)).toHaveLength(2);
    });

    it("keeps writes for a checkpoint that is still to come", async () => {
      await putLine(ROOT, 2);
      const late = nextId();
      const [head] = await collect(saver, ROOT);
      await saver.putWrites(threadConfig("t", "", late), [["n", 1]], "task");
      await saver.prune(["t"]);
      const config = await putAll(saver, head?.config ?? {}, checkpointOf({}, { id: late }));
      expect((await saver.getTuple(config))?.pendingWrites).toStrictEqual([["task", "n", 1]]);
    });

    it("removes writes for a checkpoint that never came", async () => {
      const [first] = await putLine(ROOT, 1);
      const lost = nextId();
      await saver.putWrites(threadConfig("t", "", lost), [["n", 1]], "task");
      await putLine(first ?? {}, 2);
      await saver.prune(["t"]);
      const config = await putAll(saver, ROOT, checkpointOf({}, { id: lost }));
      expect((await saver.getTuple(config))?.pendingWrites).toStrictEqual([]);
    });

    it("loses nothing of what is written meanwhile", async () => {
      const { inPlace = (work) => work(saver) } = open;
      const line = await putLine(ROOT, 4);
      const outcomes = await inPlace(async (inner) => {
        const child = (parent: CheckpointConfig | undefined, n: number) =>
          inner.put(parent ?? {}, checkpointOf({ n }, { channel_versions: { once: 1, n } }), METADATA, { n });
        const pruning = inner.prune(["t"], { keepLast: 2 });
        const puts = await Promise.allSettled([child(line[3], 11), child(line[1], 12)]);
        await pruning;
        return puts;
      });
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "parent_removed" });
        else expect(await valuesOf(saver, outcome.value)).toStrictEqual({ once: { a: [1] }, n: 11 + index });
      }
      expect(outcomes[0]?.status).toBe("fulfilled");
    });
  });

  describe("prune and nested graphs", () => {
    it("removes what is inside the tasks of removed checkpoints, however deep", async () => {
      const roots = await putLine(ROOT, 3);
      for (const [index, root] of roots.entries()) {
        const outer = threadConfig("t", `node:${index}`);
        const [nested] = (await putLine(outer, 2, inside(root))).toReversed();
        const inner = threadConfig("t", `node:${index}|inner:${index}`);
        const parents = { "": idOf(root) ?? "", [`node:${index}`]: idOf(nested) ?? "" };
        await putLine(inner, 2, { parents });
      }
      await saver.prune(["t"]);
      const left = await collect(saver, { configurable: { thread_id: "t" } });
      const namespaces = new Set(left.map(({ config }) => config.configurable?.checkpoint_ns));
      expect(left).toHaveLength(3);
      expect(namespaces).toStrictEqual(new Set(["", "node:2", "node:2|inner:2"]));
    });

    it("keeps what is inside of a branch that is about to be opened, and not of one that never was", async () => {
      const never = nextId();
      await putAll(
        saver,
        threadConfig("t", "node:never"),
        checkpointOf({}),
        inside(threadConfig("t", "", never)),
      );
      await putLine(ROOT, 2);
      const soon = nextId();
      const nested = await putAll(
        saver,
        threadConfig("t", "node:soon"),
        checkpointOf({}),
        inside(threadConfig("t", "", soon)),
      );
      await saver.prune(["t"]);
      expect(await saver.getTuple(nested)).toBeDefined();
      expect(await saver.getTuple(threadConfig("t", "node:never"))).toBeUndefined();
    });

    it("keeps of a history that many visits share the newest on the branch of each kept checkpoint", async () => {
      const shared = threadConfig("t", "node");
      const roots = await putLine(ROOT, 2);
      const memory = await putAll(saver, shared, checkpointOf({ m: 1 }), inside(roots[0] ?? {}));
      const left = await putLine(roots[1] ?? {}, 2);
      const forgotten = await putAll(saver, memory, checkpointOf({ m: 2 }), inside(left[0] ?? {}));
      const right = await putLine(roots[1] ?? {}, 3);
      await saver.prune(["t"]);
      expect(await listIds(saver, ROOT)).toStrictEqual([idOf(right[2])]);
      // The newest of the history belongs to the other branch, which has gone.
      expect(await listIds(saver, shared)).toStrictEqual([idOf(memory)]);
      expect(await saver.getTuple(forgotten)).toBeUndefined();
      expect((await saver.getTuple(right[2] ?? {}))?.metadata).toMatchObject({ past: [idOf(roots[0])] });
      await saver.prune(["t"]);
      expect(await listIds(saver, shared)).toStrictEqual([idOf(memory)]);
    });
  });

  describe("prune and what LangGraph has stored", () => {
    it("keeps the ancestors that a delta channel is made of", async () => {
      const line: CheckpointConfig[] = [];
      for (let step = 0; step < 6; step++) {
        const values = step === 2 ? { log: new DeltaSnapshot(["s"]) } : {};
        const counters = { counters_since_delta_snapshot: { log: [step, step] } };
        const checkpoint = checkpointOf(values, { channel_versions: { log: step + 1 } });
        const metadata = { ...METADATA, ...counters };
        line.push(await saver.put(line.at(-1) ?? ROOT, checkpoint, metadata, checkpoint.channel_versions));
        await saver.putWrites(line.at(-1) ?? {}, [["log", [step]]], "task");
      }
      const request = { config: line[5] ?? {}, channels: ["log"] };
      const before = await saver.getDeltaChannelHistory(request);
      await saver.prune(["t"]);
      expect(await saver.getDeltaChannelHistory(request)).toStrictEqual(before);
      expect(before["log"]?.writes).toHaveLength(3);
      expect(await listIds(saver, ROOT)).toStrictEqual(line.slice(2).map(idOf).toReversed());
    });

    it("keeps the Sends that a checkpoint before format 4 has in its parent", async () => {
      const old = { v: 1, channel_versions: { a: 7 } };
      const first = await putAll(saver, ROOT, checkpointOf({ a: 1 }, old));
      await saver.putWrites(first, [[TASKS, "send"]], "task");
      await putAll(saver, first, checkpointOf({ a: 1 }, old));
      await saver.prune(["t"]);
      const tuple = await saver.getTuple(ROOT);
      expect(tuple?.parentConfig).toBeUndefined();
      expect(tuple?.checkpoint).toMatchObject({
        channel_values: { a: 1, [TASKS]: ["send"] },
        channel_versions: { a: 7, [TASKS]: 7 },
      });
    });
  });

  describe("deleteForRuns", () => {
    it("removes what the runs have written, in all threads and namespaces, with the writes there", async () => {
      for (const thread of ["t", "u"]) {
        for (const ns of ["", "child:1"]) {
          const [last] = (await putLine(threadConfig(thread, ns), 2, { run_id: "run 1" })).toReversed();
          await putLine(last ?? {}, 2, { run_id: "run 2" });
          await saver.putWrites(last ?? {}, [["n", 1]], "task");
        }
      }
      await putLine(threadConfig("t", "no run"), 1);
      await saver.deleteForRuns(["run 1", "no such run"]);
      await saver.deleteForRuns([]);
      const left = await collect(saver, {});
      expect(left.map(({ metadata }) => metadata?.run_id).filter((run) => run !== "run 2")).toStrictEqual([
        undefined,
      ]);
      expect(left).toHaveLength(9);
      expect(left.flatMap(({ pendingWrites }) => pendingWrites)).toStrictEqual([]);
    });

    it("keeps the values of later runs, whose parent is the nearest ancestor then", async () => {
      const first = await putLine(ROOT, 2, { run_id: "run 1" });
      const n = { channel_versions: { once: 1, n: 9 } };
      const second = await saver.put(
        first[1] ?? {},
        checkpointOf({ n: 5 }, n),
        { ...METADATA, run_id: "run 2" },
        { n: 9 },
      );
      const third = await saver.put(
        second,
        checkpointOf({ n: 6 }, n),
        { ...METADATA, run_id: "run 3" },
        { n: 9 },
      );
      await saver.deleteForRuns(["run 2"]);
      expect(await listIds(saver, ROOT)).toStrictEqual([third, first[1], first[0]].map(idOf));
      expect(await valuesOf(saver, third)).toStrictEqual({ once: { a: [1] }, n: 6 });
      expect(await parentOf(third)).toBe(idOf(first[1]));
    });

    it("takes a thread back to where it was before its last run", async () => {
      const first = await putLine(ROOT, 2, { run_id: "run 1" });
      await putLine(first[1] ?? {}, 3, { run_id: "run 2" });
      await saver.deleteForRuns(["run 2"]);
      const tuple = await saver.getTuple(ROOT);
      expect(tuple?.config).toStrictEqual(first[1]);
      expect(tuple?.checkpoint.channel_values).toStrictEqual({ once: { a: [1] }, n: 1 });
    });
  });
}
