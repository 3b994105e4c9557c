import { beforeEach, describe, expect, it } from "vitest";
import { INTERRUPT, TASKS } from "../../src/checkpoint/constants.ts";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import type { CheckpointConfig, PendingWrite } from "../../src/checkpoint/types.ts";
import { checkpointOf, METADATA, putAll, threadConfig } from "./fixtures.ts";
import type { MakeSaver } from "./fixtures.ts";
import { spoil } from "./parts.ts";

const ROOT = threadConfig("t");
const LARGE = "large".repeat(4000);

interface Line {
  readonly text: string;
  readonly bytes?: Uint8Array;
}

const lines = (count: number, what = "line"): Line[] =>
  Array.from({ length: count }, (_, index) => ({ text: `${what} ${index} `.padEnd(80, "lorem ") }));
const LOG = [...lines(20), { text: "of bytes", bytes: new Uint8Array([7]) }, { text: LARGE }];
const DOCUMENT = { lines: LOG, title: "draft" };

/** What a task returns that has read all of a long value, in whose place it comes. */
const NEXT: readonly PendingWrite[] = [
  ["log", [...LOG, { text: "one more", bytes: new Uint8Array([8]) }]],
  ["document", { ...DOCUMENT, title: "final" }],
  ["rebuilt", structuredClone(LOG).toReversed()],
  ["same", LOG],
  ["map", new Map(LOG.map((line, index) => [index % 3, line]))],
  ["larger", [{ text: `${LARGE}!` }, ...LOG]],
  ["failed", [...LOG, new Error("of no kind that can be copied")]],
];

export function nextValueContract(makeSaver: MakeSaver): void {
  describe("writes that are the next values of their checkpoint's channels", () => {
    let saver: BaseCheckpointSaver;
    let config: CheckpointConfig;
    beforeEach(async () => {
      ({ saver } = await makeSaver());
      const map = new Map(LOG.map((line, index) => [index, line]));
      const values = { log: LOG, document: DOCUMENT, rebuilt: LOG, same: LOG, map, larger: LOG, failed: LOG };
      config = await putAll(saver, ROOT, checkpointOf(values), { ...METADATA, run_id: "first" });
      await saver.putWrites(config, NEXT, "task");
    });

    const written = async (of = config) => (await saver.getTuple(of))?.pendingWrites;
    const byTask = (writes: readonly PendingWrite[], task = "task") =>
      writes.map(([channel, value]) => [task, channel, value]);

    it("are read as they were written", async () => {
      expect(await written()).toStrictEqual(byTask(NEXT));
    });

    it("are read beside those that the task writes later", async () => {
      await saver.putWrites(
        config,
        [["log", "is there already"], [INTERRUPT, LOG], ...NEXT.slice(2)],
        "task",
      );
      await saver.putWrites(config, [...NEXT, ["more", LOG]], "task");
      expect(await written()).toStrictEqual(byTask([[INTERRUPT, LOG], ...NEXT, ["more", LOG]]));
    });

    it("and what a reader changes in place is its own", async () => {
      for (let time = 0; time < 2; time++) {
        const writes = await written();
        expect(writes).toStrictEqual(byTask(NEXT));
        spoil(writes);
      }
      const values = (await saver.get(config))?.channel_values ?? {};
      for (const channel of ["log", "larger", "failed"]) expect(values[channel]).toStrictEqual(LOG);
    });

    it("are read when the checkpoint's row has come to hold other values", async () => {
      await saver.putWrites(config, NEXT, "other task");
      const id = config.configurable?.checkpoint_id ?? "";
      const values = { log: lines(30, "other"), document: { title: "other" }, same: 1 };
      await putAll(saver, ROOT, checkpointOf(values, { id }), { ...METADATA, run_id: "first" });
      expect((await saver.get(config))?.channel_values).toStrictEqual(values);
      expect(await written()).toStrictEqual([...byTask(NEXT, "other task"), ...byTask(NEXT)]);
    });

    it("are read when the checkpoints before it are gone", async () => {
      const log = [...LOG, ...lines(2, "later")];
      const next = await putAll(saver, config, checkpointOf({ log }), { ...METADATA, run_id: "second" });
      await saver.putWrites(next, [["log", [...log, LOG[0]]]], "task");
      await saver.deleteForRuns(["first"]);
      expect(await written(config)).toBeUndefined();
      expect(await written(next)).toStrictEqual([["task", "log", [...log, LOG[0]]]]);
      await saver.prune(["t"]);
      expect(await written(next)).toStrictEqual([["task", "log", [...log, LOG[0]]]]);
    });

    it("are read of a copy of the thread when the thread is gone", async () => {
      await saver.copyThread("t", "copy");
      await saver.deleteThread("t");
      expect(await written(threadConfig("copy"))).toStrictEqual(byTask(NEXT));
    });

    it("are written though the checkpoint is gone meanwhile", async () => {
      await saver.deleteForRuns(["first"]);
      await saver.putWrites(config, NEXT, "late");
      const id = config.configurable?.checkpoint_id ?? "";
      await putAll(saver, ROOT, checkpointOf({ log: [] }, { id }));
      expect(await written()).toStrictEqual(byTask(NEXT, "late"));
    });

    it("are no Sends, which an old checkpoint has among the writes of its parent", async () => {
      const parent = await putAll(saver, config, checkpointOf({ [TASKS]: LOG }));
      await saver.putWrites(parent, [[TASKS, LOG]], "task");
      expect(await written(parent)).toStrictEqual([["task", TASKS, LOG]]);
      const old = await putAll(saver, parent, checkpointOf({}, { v: 3 }));
      expect((await saver.get(old))?.channel_values).toStrictEqual({ [TASKS]: [LOG] });
    });
  });
}
