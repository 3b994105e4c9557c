import { expect, it } from "vitest";
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
