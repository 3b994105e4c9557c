import { beforeEach, describe, expect, it } from "vitest";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import { checkpointOf, collect, listIds, METADATA, putAll, threadConfig, valuesOf } from "./fixtures.ts";
import type { MakeSaver } from "./fixtures.ts";

const BIG = "b".repeat(20_000);

export function copyContract(makeSaver: MakeSaver): void {
  describe("copyThread", () => {
    let saver: BaseCheckpointSaver;
    beforeEach(async () => {
      ({ saver } = await makeSaver());
    });

    /** Two checkpoints and a fork of the first in the root graph, one in a nested one, writes in both. */
    async function putThread(threadId: string): Promise<void> {
      const first = await putAll(saver, threadConfig(threadId), checkpointOf({ log: ["a"], big: BIG }));
      const second = checkpointOf({ log: ["a", "b"] }, { channel_versions: { log: 2, big: 1 } });
      await saver.put(first, second, { ...METADATA, step: 1, run_id: "run" }, { log: 2 });
      const fork = await putAll(saver, first, checkpointOf({ log: ["a", "c"], big: BIG }));
      await saver.putWrites(fork, [["log", [BIG]]], "task 1", "path");
      const nested = await putAll(saver, threadConfig(threadId, "child:1"), checkpointOf({ n: 1 }));
      await saver.putWrites(nested, [["n", 2]], "task 2");
    }

    async function contentsOf(threadId: string): Promise<unknown> {
      const tuples = await collect(saver, { configurable: { thread_id: threadId } });
      return JSON.parse(JSON.stringify(tuples).replaceAll(`"${threadId}"`, `"the thread"`));
    }

    it("gives the other thread all checkpoints and writes, in the same order and with the same ids", async () => {
      await putThread("from");
      const before = await contentsOf("from");
      await saver.copyThread("from", "to");
      expect(await contentsOf("to")).toStrictEqual(before);
      expect(await contentsOf("from")).toStrictEqual(before);
      const ids = await listIds(saver, threadConfig("from"));
      expect(await listIds(saver, threadConfig("to"))).toStrictEqual(ids);
      expect(ids).toHaveLength(3);
    });

    it("makes a thread of its own: what becomes of one is nothing to the other", async () => {
      await putThread("from");
      await saver.copyThread("from", "to");
      const before = await contentsOf("to");
      const [head] = await collect(saver, threadConfig("from"));
      await putAll(saver, head?.config ?? {}, checkpointOf({ log: ["new"] }));
      await saver.putWrites(head?.config ?? {}, [["log", "late"]], "task 3");
      expect(await contentsOf("to")).toStrictEqual(before);
      await saver.deleteThread("from");
      expect(await contentsOf("to")).toStrictEqual(before);

      await saver.copyThread("to", "from");
      const [copied] = await collect(saver, threadConfig("to"));
      await saver.put(
        copied?.config ?? {},
        checkpointOf({ more: 1 }, { channel_versions: { log: 1, big: 1, more: 1 } }),
        METADATA,
        { more: 1 },
      );
      expect(await valuesOf(saver, threadConfig("to"))).toStrictEqual({
        log: ["a", "c"],
        big: BIG,
        more: 1,
      });
      expect(await contentsOf("from")).toStrictEqual(before);
      await saver.deleteThread("to");
      expect(await contentsOf("from")).toStrictEqual(before);
    });

    it("does nothing when there is no such thread", async () => {
      await saver.copyThread("no such thread", "to");
      expect(await collect(saver, {})).toStrictEqual([]);
    });

    it("refuses a target that has something, and leaves it as it is", async () => {
      await putThread("from");
      await putAll(saver, threadConfig("to"), checkpointOf({ own: 1 }));
      await expect(saver.copyThread("from", "to")).rejects.toMatchObject({ code: "thread_exists" });
      await expect(saver.copyThread("from", "from")).rejects.toMatchObject({ code: "thread_exists" });
      expect(await collect(saver, threadConfig("to"))).toHaveLength(1);
      expect(await collect(saver, threadConfig("from"))).toHaveLength(3);
    });
  });
}
