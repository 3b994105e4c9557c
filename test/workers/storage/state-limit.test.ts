import { describe, expect, it } from "vitest";
import type { CheckpointConfig } from "../../../src/checkpoint/types.ts";
import { checkpointOf, putAll, threadConfig, valuesOf } from "../../contract/fixtures.ts";
import { SaverObject } from "./durable-saver.ts";

const THREAD = threadConfig("t");

/** Texts of 100 characters; each weighs a little more. */
function texts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${index}`.padEnd(100, "x"));
}

describe("the limit of a state", () => {
  it("is the same for one that comes whole and one that grows, and what is stored apart does not count", async () => {
    const object = await SaverObject.create();
    const saver = await object.saver({ stateLimit: 10_000, inlineLimit: 1000 });
    let config: CheckpointConfig = await putAll(saver, THREAD, checkpointOf({ log: texts(90), small: 1 }));
    await expect(putAll(saver, THREAD, checkpointOf({ small: 1, log: texts(100) }))).rejects.toMatchObject({
      code: "value_too_large",
      message: expect.stringContaining('mostly its channel "log"'),
      details: { limit: 10_000, channel: "log" },
    });
    await expect(putAll(saver, config, checkpointOf({ log: texts(100), small: 2 }))).rejects.toMatchObject({
      code: "value_too_large",
    });
    expect(await object.count("checkpoints")).toBe(1);
    config = await putAll(saver, config, checkpointOf({ log: texts(95), large: "y".repeat(50_000) }));
    config = await putAll(saver, config, checkpointOf({ log: texts(10) }));
    config = await putAll(saver, config, checkpointOf({ log: texts(90) }));
    const fresh = await object.saver();
    expect(await valuesOf(fresh, config)).toEqual({ log: texts(90) });
  });

  it("is that of the writes of a task too", async () => {
    const object = await SaverObject.create();
    const saver = await object.saver({ stateLimit: 10_000 });
    const config = await putAll(saver, THREAD, checkpointOf({}));
    await saver.putWrites(config, [["log", texts(60)]], "a");
    await expect(saver.putWrites(config, [["log", texts(100)]], "b")).rejects.toMatchObject({
      code: "value_too_large",
    });
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([["a", "log", texts(60)]]);
  });

  it("does not keep a thread that has reached it from being pruned", async () => {
    const object = await SaverObject.create();
    const saver = await object.saver({ stateLimit: 10_000 });
    const config = await putAll(saver, THREAD, checkpointOf({ log: texts(90) }));
    await putAll(saver, config, checkpointOf({ log: texts(95) }));
    // Stored whole it may be a little above what it was estimated at.
    await (await object.saver({ stateLimit: 100 })).prune(["t"]);
    expect(await valuesOf(await object.saver(), THREAD)).toEqual({ log: texts(95) });
  });
});
