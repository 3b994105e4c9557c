import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import { ExternalReference } from "../../../src/checkpoint/serde/external-reference.ts";
import type { CheckpointConfig } from "../../../src/checkpoint/types.ts";
import { COPY, INSERT, LIST } from "../../../src/storage/patch/node.ts";
import { isWorthComparing } from "../../../src/storage/patch/worth.ts";
import { fromTaskBody, toTaskBody } from "../../../src/storage/task-body.ts";
import { FOUND, LeafFinder, noFindings } from "../../../src/storage/value-walk.ts";
import { ValuePatch } from "../../../src/storage/value-patch.ts";
import { checkpointOf, METADATA, putAll, threadConfig } from "../../contract/fixtures.ts";
import { edits } from "../patch/edits.ts";
import { loss } from "../serde/same.ts";
import { newSaver } from "./support.ts";

/** To what no saver has. */
function refers(value: unknown): boolean {
  const isReference = (part: unknown): boolean => part instanceof ExternalReference;
  return (new LeafFinder().find(value, isReference, noFindings()) & FOUND) !== 0;
}

describe("what a task writes in the place of a checkpoint's value", () => {
  it(
    "is read as it was written, and so is the next checkpoint, for values that come of each other",
    { timeout: 60_000 },
    async () => {
      let patched = 0;
      const property = fc.asyncProperty(edits, fc.boolean(), async (all, isAdopted) => {
        fc.pre(!all.some(({ before, given }) => refers(before) || refers(given)));
        const saver = newSaver();
        const before = all[0]?.before;
        let config: CheckpointConfig = await putAll(saver, threadConfig("t"), checkpointOf({ v: before }));
        let held = before;
        for (const { given, adopted, before: old } of all) {
          const value = isAdopted ? adopted : given;
          await saver.putWrites(config, [["v", value]], "task");
          if (isWorthComparing(old, adopted)) patched++;
          saver.forget();
          const tuple = await saver.getTuple(config);
          expect(loss(value, tuple?.pendingWrites?.[0]?.[2])).toBeUndefined();
          expect(loss(held, tuple?.checkpoint.channel_values["v"])).toBeUndefined();
          config = await saver.put(config, checkpointOf({ v: value }), METADATA, { v: 1 });
          held = value;
          expect(loss(value, (await saver.get(config))?.channel_values["v"])).toBeUndefined();
        }
      });
      await fc.assert(property, { numRuns: 200 });
      expect(patched).toBeGreaterThan(100);
    },
  );

  it("is compared where much of the old value may be in it, in no more time than it takes to write it out", () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `line ${index} `.padEnd(100));
    const old = adopt(lines(100));
    const cases: readonly (readonly [what: string, old: unknown, next: unknown, isCompared: boolean])[] = [
      ["one more", old, adopt([...old, "more"], old), true],
      ["built anew", old, adopt(lines(101)), true],
      ["the same", old, old, true],
      ["what a reducer adds", old, adopt(lines(8)), false],
      ["a small list", adopt(lines(3)), adopt(lines(4)), false],
      ["another kind", old, adopt({ lines: old }), false],
      ["in an object", adopt({ old, n: 0 }), adopt({ old: [...old, "more"], n: 1 }, adopt({ old })), true],
      ["some keys of an object", adopt({ old, n: 0 }), adopt({ n: lines(8) }), false],
    ];
    for (const [what, before, next, isCompared] of cases)
      expect([what, isWorthComparing(before, next)]).toEqual([what, isCompared]);
  });
});

describe("the row of a task", () => {
  const path = "~__pregel_pull, a";
  const node = [LIST, COPY, 0, 2, INSERT, ["c"]];

  it("says which of its values are patches, in front", () => {
    const writes = [
      { index: 0, channel: "n", value: 1 },
      { index: 1, channel: "log", value: new ValuePatch(node) },
    ];
    const body = toTaskBody({ path, writes });
    expect(body).toEqual([
      [1],
      path,
      [
        [0, "n", 1],
        [1, "log", node],
      ],
    ]);
    expect(fromTaskBody(body)).toEqual({ path, writes });
    const values = new Map([["log", adopt(["a", "b"])]]);
    expect(fromTaskBody(body, values).writes[1]?.value).toEqual(["a", "b", "c"]);
  });

  it("is as it was before there were patches where there are none", () => {
    const writes = [{ index: 0, channel: "log", value: node }];
    const body = [path, [[0, "log", node]]];
    expect(toTaskBody({ path, writes })).toEqual(body);
    expect(fromTaskBody(body, new Map([["log", ["a", "b"]]]))).toEqual({ path, writes });
  });

  it.each([[null], [[]], [[path]], [[[0]]], [[[0], path]], [{ path }], [[1, path, []]], [[["0"], path, []]]])(
    "is refused when it is %j",
    (body) => {
      expect(() => fromTaskBody(body)).toThrow("a row of writes has another form");
    },
  );
});
