import { expect, it } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import { MemorySaver } from "../../../src/checkpoint/memory-saver.ts";
import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import { checkpointOf, METADATA, newThread, putAll, valuesOf } from "../../contract/fixtures.ts";

it("encodes only the channels that are new, and shares the bytes of the others", async () => {
  const encoded: unknown[] = [];
  const serde = new MsgpackSerializer();
  const saver = new MemorySaver({
    dumpsTyped: (value) => (encoded.push(value), serde.dumpsTyped(value)),
    loadsTyped: (type, data) => serde.loadsTyped(type, data),
  });
  const big = ["big"];
  const parent = await putAll(saver, newThread(), checkpointOf({ big, n: 1 }));
  encoded.length = 0;
  const child = checkpointOf({ big, n: 2 }, { channel_versions: { big: 1, n: 2 } });
  const config = await saver.put(parent, child, METADATA, { n: 2 });
  expect(encoded).toContain(2);
  expect(encoded).not.toContain(big);
  expect(await valuesOf(saver, config)).toStrictEqual({ big: ["big"], n: 2 });
});

it("keeps what nobody can change as it is, and refuses what cannot be stored in it all the same", async () => {
  const saver = new MemorySaver();
  const list = adopt([{ n: 1 }]);
  const config = await putAll(saver, newThread(), checkpointOf({ list }));
  await saver.putWrites(config, [["list", list]], "task");
  const tuple = await saver.getTuple(config);
  expect(tuple?.checkpoint.channel_values["list"]).toBe(list);
  expect(tuple?.pendingWrites?.[0]?.[2]).toBe(list);
  const refused = putAll(saver, newThread(), checkpointOf({ list: adopt([{ call: (): number => 1 }]) }));
  await expect(refused).rejects.toMatchObject({ code: "unserializable" });
});

it("serves a subclass", async () => {
  class Counting extends MemorySaver {
    puts = 0;
    override put(...args: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
      this.puts += 1;
      return super.put(...args);
    }
  }
  const saver = new Counting();
  const config = await putAll(saver, newThread(), checkpointOf({ a: 1 }));
  expect(saver.puts).toBe(1);
  expect(await valuesOf(saver, config)).toStrictEqual({ a: 1 });
});
