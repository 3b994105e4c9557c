import { beforeEach, describe, expect, it } from "vitest";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import type { CheckpointConfig } from "../../src/checkpoint/types.ts";
import {
  checkpointOf,
  collect,
  listIds,
  METADATA,
  newThread,
  nextId,
  putAll,
  threadConfig,
} from "./fixtures.ts";
import type { MakeSaver } from "./fixtures.ts";

export function listContract(makeSaver: MakeSaver): void {
  describe("list", () => {
    let saver: BaseCheckpointSaver;
    beforeEach(async () => {
      ({ saver } = await makeSaver());
    });

    async function chain(thread: CheckpointConfig, length: number): Promise<CheckpointConfig[]> {
      const configs: CheckpointConfig[] = [];
      for (let step = 0; step < length; step++) {
        const metadata = {
          ...METADATA,
          step,
          tag: step % 2 === 0 ? "even" : "odd",
          list: [step],
          own: { step },
        };
        configs.push(await putAll(saver, configs.at(-1) ?? thread, checkpointOf({ step }), metadata));
      }
      return configs;
    }
    const idOf = (config: CheckpointConfig | undefined) => config?.configurable?.checkpoint_id ?? "";

    it("gives what getTuple gives, newest first", async () => {
      const configs = await chain(newThread(), 3);
      await saver.putWrites(configs[1] ?? {}, [["w", 1]], "task");
      const expected = await Promise.all(configs.toReversed().map((config) => saver.getTuple(config)));
      const [first] = configs;
      const listed = await collect(saver, threadConfig(first?.configurable?.thread_id ?? ""));
      expect(listed).toStrictEqual(expected);
    });

    it("limits, also to nothing and across many rows", async () => {
      const thread = newThread();
      const ids = (await chain(thread, 120)).map(idOf).toReversed();
      expect(await listIds(saver, thread)).toStrictEqual(ids);
      expect(await listIds(saver, thread, { limit: 0 })).toStrictEqual([]);
      expect(await listIds(saver, thread, { limit: 51 })).toStrictEqual(ids.slice(0, 51));
      expect(await listIds(saver, thread, { limit: 500 })).toStrictEqual(ids);
    });

    it("starts below `before`, which need not exist", async () => {
      const thread = newThread();
      const [first, second, third] = await chain(thread, 3);
      const before = { configurable: { checkpoint_id: idOf(third) } };
      expect(await listIds(saver, thread, { before })).toStrictEqual([idOf(second), idOf(first)]);
      expect(await listIds(saver, thread, { before, limit: 1 })).toStrictEqual([idOf(second)]);
      const later = { configurable: { checkpoint_id: nextId() } };
      expect(await listIds(saver, thread, { before: later })).toHaveLength(3);
      expect(await listIds(saver, thread, { before: { configurable: {} } })).toHaveLength(3);
    });

    it("filters by equality of metadata, and counts the limit after it", async () => {
      const thread = newThread();
      const ids = (await chain(thread, 6)).map(idOf).toReversed();
      expect(await listIds(saver, thread, { filter: { tag: "even" } })).toStrictEqual([
        ids[1],
        ids[3],
        ids[5],
      ]);
      expect(await listIds(saver, thread, { filter: { tag: "even" }, limit: 2 })).toStrictEqual([
        ids[1],
        ids[3],
      ]);
      expect(await listIds(saver, thread, { filter: { tag: "odd", step: 3 } })).toStrictEqual([ids[2]]);
      expect(await listIds(saver, thread, { filter: { own: { step: 3 }, list: [3] } })).toStrictEqual([
        ids[2],
      ]);
      expect(await listIds(saver, thread, { filter: { own: { step: 3, more: 1 } } })).toStrictEqual([]);
      expect(await listIds(saver, thread, { filter: { constructor: Object } })).toStrictEqual([]);
      expect(await listIds(saver, thread, { filter: {} })).toStrictEqual(ids);
    });

    it("lists one checkpoint when the config names it", async () => {
      const [first, second] = await chain(newThread(), 2);
      expect(await listIds(saver, first ?? {})).toStrictEqual([idOf(first)]);
      expect(await listIds(saver, second ?? {}, { filter: { step: 0 } })).toStrictEqual([]);
    });

    it("takes an absent thread or namespace for all of them", async () => {
      const ids: string[] = [];
      for (let round = 0; round < 2; round++) {
        for (const place of [
          threadConfig("a"),
          threadConfig("a", "n|1"),
          threadConfig("b"),
          threadConfig("b", "n|1"),
        ]) {
          const config = await putAll(saver, place, checkpointOf({}));
          ids.unshift(idOf(config));
        }
      }
      const listed = (configurable: NonNullable<CheckpointConfig["configurable"]>) =>
        listIds(saver, { configurable });
      expect(await listed({})).toStrictEqual(ids);
      expect(await listIds(saver, {})).toStrictEqual(ids);
      expect(await listed({ thread_id: "a" })).toStrictEqual([ids[2], ids[3], ids[6], ids[7]]);
      expect(await listed({ checkpoint_ns: "n|1" })).toStrictEqual([ids[0], ids[2], ids[4], ids[6]]);
      expect(await listed({ checkpoint_ns: "" })).toStrictEqual([ids[1], ids[3], ids[5], ids[7]]);
      expect(await listed({ thread_id: "none" })).toStrictEqual([]);
      const before = { configurable: { checkpoint_id: ids[3] ?? "" } };
      expect(await listIds(saver, {}, { before, limit: 3 })).toStrictEqual([ids[4], ids[5], ids[6]]);
    });

    it("goes on while checkpoints are added", async () => {
      const thread = newThread();
      const ids = (await chain(thread, 3)).map(idOf).toReversed();
      const seen: string[] = [];
      for await (const { checkpoint } of saver.list(thread)) {
        seen.push(checkpoint.id);
        await putAll(saver, thread, checkpointOf({}));
      }
      expect(seen).toStrictEqual(ids);
    });
  });
}
