import { beforeEach, describe, expect, it } from "vitest";
import { fix } from "../../src/checkpoint/carry-over.ts";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import { checkpointOf, METADATA, newThread, putAll, threadConfig, valuesOf } from "./fixtures.ts";
import type { MakeSaver } from "./fixtures.ts";

export function putContract(makeSaver: MakeSaver): void {
  describe("put", () => {
    let saver: BaseCheckpointSaver;
    beforeEach(async () => {
      ({ saver } = await makeSaver());
    });

    it("returns the config of the new checkpoint, and nothing else of the one it was given", async () => {
      const checkpoint = checkpointOf({});
      const config = await putAll(
        saver,
        { configurable: { thread_id: "t", extra: 1 }, tags: ["x"] },
        checkpoint,
      );
      expect(config).toStrictEqual(threadConfig("t", "", checkpoint.id));
    });

    it("needs a thread", async () => {
      const checkpoint = checkpointOf({});
      await expect(putAll(saver, {}, checkpoint)).rejects.toMatchObject({ code: "missing_thread_id" });
      await expect(putAll(saver, { configurable: { checkpoint_ns: "a" } }, checkpoint)).rejects.toThrow(
        "thread",
      );
    });

    it("keeps frame, values and metadata", async () => {
      const checkpoint = checkpointOf(
        { a: [1, { b: "c" }], d: null },
        { versions_seen: { n: { a: 3 }, m: {} }, channel_versions: { a: 4, d: 2 } },
      );
      const metadata = {
        ...METADATA,
        source: "update",
        step: 7,
        parents: { "": "x" },
        run_id: "r",
        own: { deep: [1] },
      } as const;
      const tuple = await saver.getTuple(await putAll(saver, newThread(), checkpoint, metadata));
      expect(tuple?.checkpoint).toStrictEqual(checkpoint);
      expect(tuple?.metadata).toStrictEqual(metadata);
    });

    it("names the parent that the config named", async () => {
      const thread = newThread();
      const first = await putAll(saver, thread, checkpointOf({}));
      const second = await putAll(saver, first, checkpointOf({}));
      const tuple = await saver.getTuple(first);
      expect(tuple !== undefined && "parentConfig" in tuple).toBe(false);
      expect((await saver.getTuple(second))?.parentConfig).toStrictEqual(first);
    });

    it("takes a channel that is not in newVersions from the parent, whatever the checkpoint says", async () => {
      const parent = await putAll(saver, newThread(), checkpointOf({ kept: "parent", changed: 1 }));
      const child = checkpointOf(
        { kept: "ignored", changed: 2 },
        { channel_versions: { kept: 1, changed: 2 } },
      );
      const config = await saver.put(parent, child, METADATA, { changed: 2 });
      expect(await valuesOf(saver, config)).toStrictEqual({ kept: "parent", changed: 2 });
    });

    it("stores the values of all new versions, also of an engine's checkpoint that was made with fewer of them", async () => {
      const thread = newThread();
      const made = { b: 2 };
      const values = { a: "of the superstep before", b: "of the last" };
      const { channel_values: _, ...frame } = checkpointOf({}, { channel_versions: { a: 1, b: 2 } });
      const added = new Map([["b", values.b]]);
      const checkpoint = fix(frame, { newVersions: made, added, values: () => values });
      expect(await valuesOf(saver, await saver.put(thread, checkpoint, METADATA, { a: 1, ...made }))).toEqual(
        values,
      );
    });

    it("carries values over many generations", async () => {
      let config = await putAll(saver, newThread(), checkpointOf({ old: ["kept"], n: 0 }));
      for (let n = 1; n <= 5; n++) {
        const checkpoint = checkpointOf({ n }, { channel_versions: { old: 1, n: n + 1 } });
        config = await saver.put(config, checkpoint, METADATA, { n: n + 1 });
      }
      expect(await valuesOf(saver, config)).toStrictEqual({ old: ["kept"], n: 5 });
    });

    it("drops a channel that has no version any more, and one that is new without a value", async () => {
      const parent = await putAll(saver, newThread(), checkpointOf({ gone: 1, emptied: 2, kept: 3 }));
      const child = checkpointOf({}, { channel_versions: { emptied: 2, kept: 1 } });
      const config = await saver.put(parent, child, METADATA, { emptied: 2 });
      expect(await valuesOf(saver, config)).toStrictEqual({ kept: 3 });
      const grandchild = checkpointOf({}, { channel_versions: { emptied: 2, kept: 1, gone: 1 } });
      const next = await saver.put(config, grandchild, METADATA, {});
      expect(await valuesOf(saver, next)).toStrictEqual({ kept: 3 });
    });

    it("has nothing to carry over from a parent that is not there", async () => {
      const missing = threadConfig("t", "", "no such checkpoint");
      const config = await saver.put(missing, checkpointOf({ a: 1, b: 2 }), METADATA, { b: 1 });
      expect(await valuesOf(saver, config)).toStrictEqual({ b: 2 });
      expect((await saver.getTuple(config))?.parentConfig).toStrictEqual(missing);
    });

    it("does not mix forks of one parent that mint the same version", async () => {
      const root = await putAll(saver, newThread(), checkpointOf({ base: "root", x: 0 }));
      const versions = { base: 1, x: 2 };
      const left = await saver.put(
        root,
        checkpointOf({ x: "left" }, { channel_versions: versions }),
        METADATA,
        { x: 2 },
      );
      const right = await saver.put(
        root,
        checkpointOf({ x: "right" }, { channel_versions: versions }),
        METADATA,
        { x: 2 },
      );
      const after = { base: 1, x: 2, y: 3 };
      const leftNext = await saver.put(
        left,
        checkpointOf({ y: "l" }, { channel_versions: after }),
        METADATA,
        { y: 3 },
      );
      const rightNext = await saver.put(
        right,
        checkpointOf({ y: "r" }, { channel_versions: after }),
        METADATA,
        { y: 3 },
      );
      expect(await valuesOf(saver, leftNext)).toStrictEqual({ base: "root", x: "left", y: "l" });
      expect(await valuesOf(saver, rightNext)).toStrictEqual({ base: "root", x: "right", y: "r" });
      expect(await valuesOf(saver, root)).toStrictEqual({ base: "root", x: 0 });
    });

    it("replaces a checkpoint that is put again under its id", async () => {
      const checkpoint = checkpointOf({ a: 1 });
      const thread = newThread();
      await putAll(saver, thread, checkpoint);
      const config = await putAll(saver, thread, { ...checkpoint, channel_values: { a: 2 } });
      expect(await valuesOf(saver, config)).toStrictEqual({ a: 2 });
      const child = await saver.put(config, checkpointOf({}, { channel_versions: { a: 1 } }), METADATA, {});
      expect(await valuesOf(saver, child)).toStrictEqual({ a: 2 });
    });

    it("stores nothing of a checkpoint with a value that cannot be stored, and names the channel", async () => {
      const thread = newThread();
      const good = await putAll(saver, thread, checkpointOf({ a: 1 }));
      const bad = checkpointOf({ a: 2, broken: { deep: [{ fn: () => 1 }] } });
      await expect(putAll(saver, good, bad)).rejects.toMatchObject({
        code: "unserializable",
        path: ["deep", 0, "fn"],
        details: { channel: "broken" },
      });
      expect((await saver.getTuple(thread))?.config).toStrictEqual(good);
      const next = await saver.put(good, checkpointOf({}, { channel_versions: { a: 1 } }), METADATA, {});
      expect(await valuesOf(saver, next)).toStrictEqual({ a: 1 });
    });

    it("refuses metadata that cannot be stored", async () => {
      const thread = newThread();
      const metadata = { ...METADATA, fn: () => 1 };
      await expect(putAll(saver, thread, checkpointOf({}), metadata)).rejects.toMatchObject({
        code: "unserializable",
      });
      expect(await saver.getTuple(thread)).toBeUndefined();
    });
  });
}
