import { beforeEach, describe, expect, it } from "vitest";
import { ERROR, INTERRUPT, NULL_TASK_ID, RESUME } from "../../src/checkpoint/constants.ts";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import type { CheckpointConfig } from "../../src/checkpoint/types.ts";
import { checkpointOf, METADATA, newThread, nextId, putAll, threadConfig } from "./fixtures.ts";
import type { MakeSaver } from "./fixtures.ts";

export function putWritesContract(makeSaver: MakeSaver): void {
  describe("putWrites", () => {
    let saver: BaseCheckpointSaver;
    let config: CheckpointConfig;
    beforeEach(async () => {
      ({ saver } = await makeSaver());
      config = await putAll(saver, newThread(), checkpointOf({}));
    });

    const pending = async (of = config) => (await saver.getTuple(of))?.pendingWrites;

    it("needs a thread and a checkpoint", async () => {
      const noThread = { configurable: { checkpoint_id: "c" } };
      await expect(saver.putWrites(noThread, [["a", 1]], "t")).rejects.toMatchObject({
        code: "missing_thread_id",
      });
      const noCheckpoint = threadConfig("t");
      await expect(saver.putWrites(noCheckpoint, [["a", 1]], "t")).rejects.toMatchObject({
        code: "missing_checkpoint_id",
      });
      await expect(saver.putWrites(noCheckpoint, [], "t")).rejects.toThrow("checkpoint");
    });

    it("belongs to one checkpoint only", async () => {
      await saver.putWrites(config, [["a", 1]], "task");
      const child = await putAll(saver, config, checkpointOf({}));
      expect(await pending()).toStrictEqual([["task", "a", 1]]);
      expect(await pending(child)).toStrictEqual([]);
    });

    it("accepts a task without writes", async () => {
      await saver.putWrites(config, [], "task");
      expect(await pending()).toStrictEqual([]);
      await saver.putWrites(config, [["a", 1]], "task");
      await saver.putWrites(config, [], "task");
      expect(await pending()).toStrictEqual([["task", "a", 1]]);
    });

    it("may come before the checkpoint", async () => {
      const checkpoint = checkpointOf({});
      const thread = newThread();
      const early = { configurable: { ...thread.configurable, checkpoint_id: checkpoint.id } };
      await saver.putWrites(early, [["a", 1]], "task");
      expect(await saver.getTuple(early)).toBeUndefined();
      expect(await saver.getTuple(thread)).toBeUndefined();
      await putAll(saver, thread, checkpoint);
      expect(await pending(early)).toStrictEqual([["task", "a", 1]]);
    });

    it("keeps an ordinary write as it was first stored", async () => {
      await saver.putWrites(
        config,
        [
          ["a", "first"],
          ["b", "first"],
        ],
        "task",
      );
      await saver.putWrites(
        config,
        [
          ["a", "second"],
          ["b", "second"],
          ["c", "second"],
        ],
        "task",
      );
      expect(await pending()).toStrictEqual([
        ["task", "a", "first"],
        ["task", "b", "first"],
        ["task", "c", "second"],
      ]);
    });

    it("replaces a write at a fixed position", async () => {
      await saver.putWrites(
        config,
        [
          [INTERRUPT, "q1"],
          [RESUME, ["a1"]],
        ],
        "task",
      );
      await saver.putWrites(config, [[INTERRUPT, "q2"]], "task");
      await saver.putWrites(config, [[RESUME, ["a1", "a2"]]], "task");
      await saver.putWrites(config, [[ERROR, "boom"]], "task");
      expect(await pending()).toStrictEqual([
        ["task", RESUME, ["a1", "a2"]],
        ["task", INTERRUPT, "q2"],
        ["task", ERROR, "boom"],
      ]);
    });

    it("does not let an interrupt take the place of the task's first write", async () => {
      await saver.putWrites(config, [["log", "x"]], "task");
      await saver.putWrites(config, [[INTERRUPT, "q"]], "task");
      expect(await pending()).toStrictEqual([
        ["task", INTERRUPT, "q"],
        ["task", "log", "x"],
      ]);
    });

    it("takes a channel for ordinary that is named like a property of every object", async () => {
      await saver.putWrites(
        config,
        [
          ["constructor", 1],
          ["__proto__", 2],
          ["toString", 3],
        ],
        "task",
      );
      expect(await pending()).toStrictEqual([
        ["task", "constructor", 1],
        ["task", "__proto__", 2],
        ["task", "toString", 3],
      ]);
      await saver.putWrites(
        config,
        [
          ["", 0],
          ["", 0],
          ["", 0],
          ["constructor", 4],
        ],
        "task",
      );
      expect((await pending())?.at(-1)).toStrictEqual(["task", "constructor", 4]);
    });

    it("sorts by path, then task, then position, comparing code points", async () => {
      const first = "00000000-0000-5000-8000-000000000001";
      const second = "00000000-0000-5000-8000-000000000002";
      await saver.putWrites(config, [["a", 1]], "z", "\u{10000}");
      await saver.putWrites(config, [["a", 2]], "z2", "\uffff");
      await saver.putWrites(config, [["a", 3]], "z3", "b");
      await saver.putWrites(config, [["a", 4]], "z4", "B");
      await saver.putWrites(
        config,
        [
          ["a", 5],
          ["b", 6],
        ],
        second,
        "a",
      );
      await saver.putWrites(config, [["a", 7]], first, "a");
      await saver.putWrites(config, [["a", 8]], "\u{10000}", "a");
      await saver.putWrites(config, [["a", 9]], "\uffff", "a");
      await saver.putWrites(config, [["a", 0]], NULL_TASK_ID);
      expect((await pending())?.map(([, , value]) => value)).toStrictEqual([0, 4, 7, 5, 6, 9, 8, 3, 2, 1]);
    });

    it("keeps the path that a task had first", async () => {
      await saver.putWrites(config, [["a", 1]], "x", "2");
      await saver.putWrites(config, [["a", 2]], "y", "1");
      await saver.putWrites(config, [[INTERRUPT, 3]], "x");
      expect((await pending())?.map(([task]) => task)).toStrictEqual(["y", "x", "x"]);
    });

    it("keeps checkpoints, namespaces and threads apart", async () => {
      const id = nextId();
      const places = [threadConfig("a", "", id), threadConfig("a", "ns", id), threadConfig("b", "", id)];
      for (const [index, place] of places.entries()) {
        await putAll(
          saver,
          { configurable: { ...place.configurable, checkpoint_id: "" } },
          checkpointOf({}, { id }),
        );
        await saver.putWrites(place, [["a", index]], "task");
      }
      for (const [index, place] of places.entries())
        expect(await pending(place)).toStrictEqual([["task", "a", index]]);
    });

    it("keeps the writes of tasks that finish at the same time", async () => {
      const tasks = Array.from({ length: 20 }, (_, index) => `task ${String(index).padStart(2, "0")}`);
      await Promise.all(tasks.map((task) => saver.putWrites(config, [["a", task]], task)));
      await Promise.all(tasks.map((task) => saver.putWrites(config, [[INTERRUPT, task]], task)));
      expect((await pending())?.length).toBe(40);
    });

    it("stores all writes of a call or none, and names the channel", async () => {
      const bad = [
        ["ok", 1],
        ["broken", [{ s: Symbol("s") }]],
      ] as const;
      const expected = { code: "unserializable", path: [0, "s"], details: { channel: "broken" } };
      await expect(saver.putWrites(config, bad, "task")).rejects.toMatchObject(expected);
      expect(await pending()).toStrictEqual([]);
      await saver.putWrites(config, [["ok", 1]], "task");
      await expect(saver.putWrites(config, bad, "task")).rejects.toMatchObject(expected);
      expect(await pending()).toStrictEqual([["task", "ok", 1]]);
      await saver.put(config, checkpointOf({}), METADATA, {});
    });
  });
}
