import { expect, it } from "vitest";
import { adopt, handOut, isAdopted } from "../../../src/values/adopt.ts";
import { DeltaSnapshot } from "../../../src/checkpoint/delta-snapshot.ts";
import type { CheckpointConfig } from "../../../src/checkpoint/types.ts";
import { checkpointOf, METADATA, putAll, threadConfig } from "../../contract/fixtures.ts";
import { Random } from "../../contract/model/random.ts";
import { Values } from "../../contract/model/values.ts";
import { isOpen, objectsIn, spoil } from "../../contract/parts.ts";
import { newSaver } from "./support.ts";

/** What is not the state's own in a value: it would be stored when a node changes it, or be one for all nodes. */
function strangers(value: unknown): unknown[] {
  return Array.from(objectsIn(value)).filter((part) => {
    const isOurs = isAdopted(part) && (Object.isFrozen(part) || isOpen(part));
    const isLent = handOut(part) !== part || !Array.from(objectsIn(part)).some(isOpen);
    return !isOurs || !isLent;
  });
}

it("large bytes are the state's own wherever they are read", async () => {
  const saver = newSaver();
  const file = () => new Uint8Array(400);
  const values = {
    file: file(),
    list: [file(), 1],
    record: { file: file() },
    map: [new Map([[1, [file()]]])],
  };
  const config = await putAll(saver, threadConfig("t"), checkpointOf(values));
  saver.forget();
  const read = await saver.get(config);
  expect(Object.values(read?.channel_values ?? {}).flatMap(strangers)).toEqual([]);
});

it("all that is read is the state's own, whatever values come of each other", async () => {
  let checked = 0;
  for (let seed = 0; seed < 60; seed++) {
    const random = new Random(seed);
    const values = new Values(random);
    const saver = newSaver();
    let value: unknown = random.once(2) ? values.messages() : values.any();
    let config: CheckpointConfig = threadConfig("t");
    for (let step = 0; step < 6; step++) {
      const next = adopt(values.next(value), value);
      config = await saver.put(config, checkpointOf({ v: next }), METADATA, { v: 1 });
      if (random.once(2)) saver.forget();
      const read = (await saver.get(config))?.channel_values["v"];
      // Whose owner alone can copy it passes through, and what it holds with it.
      if (![...objectsIn(read)].some((part) => part instanceof DeltaSnapshot)) {
        expect([seed, step, strangers(read)]).toEqual([seed, step, []]);
        checked++;
      }
      value = random.once(2) ? read : next;
    }
  }
  expect(checked).toBeGreaterThan(200);
});

it("bytes that are read in a value with a cycle are not those of a later read, where a large text was equal", async () => {
  const saver = newSaver();
  const large = { text: "large".repeat(100) };
  const loop: unknown[] = [new Uint8Array([1]), ...Object.values(large)];
  loop.push({ loop });
  const first = await putAll(saver, threadConfig("t"), checkpointOf({ large }));
  const config = await putAll(saver, first, checkpointOf({ large: { ...large }, loop }));
  const read = async () => objectsIn((await saver.get(config))?.channel_values["loop"]);
  spoil(await read());
  expect(await read()).toContainEqual(new Uint8Array([1]));
});
