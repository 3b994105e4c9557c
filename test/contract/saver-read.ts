import { beforeEach, describe, expect, it } from "vitest";
import { TASKS } from "../../src/checkpoint/constants.ts";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import {
  checkpointOf,
  listIds,
  METADATA,
  newThread,
  nextId,
  putAll,
  threadConfig,
  valuesOf,
} from "./fixtures.ts";
import type { MakeSaver } from "./fixtures.ts";

const ODD_NAMES = [
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "",
  "a|b:c",
  "ü\u{10000}",
  "'; DROP TABLE x; --",
];

export function readContract(makeSaver: MakeSaver): void {
  describe("getTuple and deleteThread", () => {
    let saver: BaseCheckpointSaver;
    beforeEach(async () => {
      ({ saver } = await makeSaver());
    });

    it("answers undefined for what is not there", async () => {
      const config = await putAll(saver, threadConfig("t"), checkpointOf({}));
      expect(await saver.getTuple({})).toBeUndefined();
      expect(await saver.getTuple(threadConfig("other"))).toBeUndefined();
      expect(await saver.getTuple(threadConfig("t", "other"))).toBeUndefined();
      expect(await saver.getTuple(threadConfig("t", "", nextId()))).toBeUndefined();
      expect(await saver.getTuple(threadConfig("t", "", "no uuid"))).toBeUndefined();
      expect(await saver.get(config)).toBeDefined();
    });

    it("finds the newest without an id, by id and not by the order of writing or the clock", async () => {
      const thread = newThread();
      const ids = [nextId(), nextId(), nextId()];
      for (const index of [0, 2, 1]) {
        await putAll(
          saver,
          thread,
          checkpointOf({ index }, { id: ids[index] ?? "", ts: "2020-01-01T00:00:00.000Z" }),
        );
      }
      expect(await valuesOf(saver, thread)).toStrictEqual({ index: 2 });
      expect(await listIds(saver, thread)).toStrictEqual(ids.toReversed());
    });

    it("takes thread_ts for the id, and an empty id for none", async () => {
      const thread = newThread();
      const first = checkpointOf({ n: 1 });
      const config = await putAll(saver, thread, first);
      await putAll(saver, config, checkpointOf({ n: 2 }));
      const { thread_id } = thread.configurable ?? {};
      const aliased = { configurable: { thread_id: String(thread_id), thread_ts: first.id } };
      expect(await valuesOf(saver, aliased)).toStrictEqual({ n: 1 });
      expect(await valuesOf(saver, threadConfig(String(thread_id), "", ""))).toStrictEqual({ n: 2 });
    });

    it("keeps ids that are no UUIDs, and such as differ in case only", async () => {
      const thread = newThread();
      const upper = nextId().toUpperCase();
      const ids = ["", "10", "9", "a", "A", "ä", "\uffff", "\u{10000}", upper, upper.toLowerCase()].slice(1);
      for (const id of ids) {
        const config = await putAll(saver, thread, checkpointOf({ id }, { id }));
        await saver.putWrites(config, [["w", id]], id);
      }
      const { thread_id } = thread.configurable ?? {};
      for (const id of ids) {
        const tuple = await saver.getTuple(threadConfig(String(thread_id), "", id));
        expect(tuple?.checkpoint).toMatchObject({ id, channel_values: { id } });
        expect(tuple?.pendingWrites).toStrictEqual([[id, "w", id]]);
      }
      const text = ["10", "9", "A", "a", "ä", "\uffff", "\u{10000}", upper].toSorted((a, b) =>
        bytes(a) < bytes(b) ? -1 : 1,
      );
      expect(await listIds(saver, thread)).toStrictEqual([...text, upper.toLowerCase()].toReversed());
    });

    it.each(ODD_NAMES)("keeps thread, namespace, channel and task %j", async (name) => {
      const thread = threadConfig(name, name);
      const checkpoint = checkpointOf(Object.fromEntries([[name, "value"]]));
      const config = await putAll(saver, thread, checkpoint);
      await saver.putWrites(config, [[name, "write"]], name, name);
      const tuple = await saver.getTuple(thread);
      expect(tuple?.config).toStrictEqual(threadConfig(name, name, checkpoint.id));
      expect(Object.entries(tuple?.checkpoint.channel_values ?? {})).toStrictEqual([[name, "value"]]);
      expect(Object.entries(tuple?.checkpoint.channel_versions ?? {})).toStrictEqual([[name, 1]]);
      expect(tuple?.pendingWrites).toStrictEqual([[name, name, "write"]]);
      expect(await listIds(saver, thread)).toStrictEqual([checkpoint.id]);
      await saver.deleteThread(name);
      expect(await saver.getTuple(thread)).toBeUndefined();
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    });

    it("does not confuse threads and namespaces that join to the same text", async () => {
      await putAll(saver, threadConfig("a", "b|c"), checkpointOf({ n: 1 }));
      await putAll(saver, threadConfig("a|b", "c"), checkpointOf({ n: 2 }));
      await putAll(saver, threadConfig("a", ""), checkpointOf({ n: 3 }));
      expect(await valuesOf(saver, threadConfig("a", "b|c"))).toStrictEqual({ n: 1 });
      expect(await valuesOf(saver, threadConfig("a|b", "c"))).toStrictEqual({ n: 2 });
    });

    it("gives checkpoints before format 4 the Sends of their parent", async () => {
      const first = await putAll(
        saver,
        newThread(),
        checkpointOf({ a: 1 }, { v: 1, channel_versions: { a: 7 } }),
      );
      await saver.putWrites(
        first,
        [
          [TASKS, "s2"],
          ["other", 0],
          [TASKS, "s3"],
        ],
        "task 2",
      );
      await saver.putWrites(first, [[TASKS, "s1"]], "task 1");
      const second = await putAll(saver, first, checkpointOf({ a: 1 }, { v: 1, channel_versions: { a: 7 } }));
      const current = await putAll(saver, first, checkpointOf({ a: 1 }));
      expect(await valuesOf(saver, first)).toStrictEqual({ a: 1 });
      const tuple = await saver.getTuple(second);
      expect(tuple?.checkpoint.channel_values).toStrictEqual({ a: 1, [TASKS]: ["s1", "s2", "s3"] });
      expect(tuple?.checkpoint.channel_versions).toStrictEqual({ a: 7, [TASKS]: 7 });
      expect(await valuesOf(saver, current)).toStrictEqual({ a: 1 });
    });

    it("deletes a thread in all namespaces, with its writes, and no other thread", async () => {
      const id = nextId();
      for (const [thread, ns] of [
        ["a", ""],
        ["a", "ns"],
        ["b", ""],
      ] as const) {
        const config = await putAll(saver, threadConfig(thread, ns), checkpointOf({ thread }, { id }));
        await saver.putWrites(config, [["w", 1]], "task");
      }
      await saver.deleteThread("a");
      expect(await listIds(saver, { configurable: { thread_id: "a" } })).toStrictEqual([]);
      expect((await saver.getTuple(threadConfig("b")))?.pendingWrites).toHaveLength(1);
      const again = await putAll(saver, threadConfig("a"), checkpointOf({}, { id }));
      expect((await saver.getTuple(again))?.pendingWrites).toStrictEqual([]);
      await saver.deleteThread("no such thread");
    });

    it("carries nothing over from a deleted thread", async () => {
      const parent = await putAll(saver, threadConfig("a"), checkpointOf({ secret: 1 }));
      await saver.deleteThread("a");
      await putAll(saver, threadConfig("b"), checkpointOf({}));
      const config = await saver.put(
        parent,
        checkpointOf({}, { channel_versions: { secret: 1 } }),
        METADATA,
        {},
      );
      expect(await valuesOf(saver, config)).toStrictEqual({});
    });
  });
}

/** UTF-8 as text that compares byte by byte. */
function bytes(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
