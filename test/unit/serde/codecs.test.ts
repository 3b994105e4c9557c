import { describe, expect, it } from "vitest";
import type { Codec } from "../../../src/checkpoint/serde/codec.ts";
import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import { InvalidArgumentError, UndecodableError, UnserializableError } from "../../../src/errors.ts";
import { Box, boxCodec, thrownBy } from "./support.ts";

class Point {
  readonly x: number;
  readonly y: number;

  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
}
class Point3 extends Point {}

const pointCodec: Codec<Point> = {
  name: "point",
  class: Point,
  immutable: true,
  encode: ({ x, y }) => [x, y],
  decode(parts) {
    if (!Array.isArray(parts)) throw new Error("no list");
    return new Point(Number(parts[0]), Number(parts[1]));
  },
};

const using = (...codecs: Codec[]) => new MsgpackSerializer({ codecs });
const roundTripWith = (serializer: MsgpackSerializer, value: unknown) =>
  serializer.loadsTyped(...serializer.dumpsTyped(value));

describe("codecs", () => {
  it("store the instances of their class, and of no subclass", () => {
    const loaded = roundTripWith(using(pointCodec), { at: new Point(1, 2) });
    expect(loaded).toStrictEqual({ at: new Point(1, 2) });
    expect(() => using(pointCodec).dumpsTyped([new Point3(1, 2)])).toThrow('class "Point3"');
  });

  it("store what they match, unless another has the very class", () => {
    const any: Codec<Point> = {
      name: "any point",
      matches: (value) => value instanceof Point,
      encode: () => null,
      decode: () => new Point(0, 0),
    };
    const serializer = using(any, pointCodec);
    expect(roundTripWith(serializer, [new Point3(1, 2)])).toStrictEqual([new Point(0, 0)]);
    expect(roundTripWith(serializer, [new Point(1, 2)])).toStrictEqual([new Point(1, 2)]);
  });

  it("come before the built-in types, and are not asked about plain data", () => {
    const asked: object[] = [];
    const urls: Codec<URL> = {
      name: "url",
      matches(value) {
        asked.push(value);
        return value instanceof URL;
      },
      encode: (url) => url.host,
      decode: (host) => new URL(`https://${String(host)}/decoded`),
    };
    const value = { url: new URL("https://example.com/"), list: [new Uint8Array(1), {}], when: new Date(0) };
    expect(roundTripWith(using(urls), value)).toEqual({
      ...value,
      url: new URL("https://example.com/decoded"),
    });
    expect(asked).toEqual([value.url, value.when]);
  });

  it("may serialize on their own while a dump goes on", () => {
    const inner = new MsgpackSerializer();
    const packed: Codec<Box> = {
      ...boxCodec,
      encode: (box) => inner.dumpsTyped({ content: box.content })[1],
      decode: (parts) =>
        boxCodec.decode(parts instanceof Uint8Array ? inner.loadsTyped("msgpack", parts) : undefined),
    };
    const value = { before: "b", box: new Box([1, "x".repeat(100_000)]), after: "a" };
    expect(roundTripWith(using(packed), value)).toStrictEqual(value);
  });

  it("need names and classes that are unique", () => {
    expect(() => using(pointCodec, { ...boxCodec, name: "point" })).toThrow(InvalidArgumentError);
    expect(() => using(pointCodec, { ...pointCodec, name: "other" })).toThrow(InvalidArgumentError);
    expect(() => using({ ...boxCodec, name: "" })).toThrow(InvalidArgumentError);
  });

  it("that fail to encode are named, with the path", () => {
    const cause = new Error("no");
    const failing = {
      ...boxCodec,
      encode: () => {
        throw cause;
      },
    };
    const error = thrownBy(() => using(failing).dumpsTyped({ a: [new Box(1)] }));
    expect(error).toBeInstanceOf(UnserializableError);
    expect(error).toMatchObject({
      path: ["a", 0],
      cause,
      message: expect.stringContaining('codec "box" failed'),
    });
  });

  it("that fail to decode are named, with the cause", () => {
    const cause = new Error("old parts");
    const [type, data] = using(boxCodec).dumpsTyped(new Box(1));
    const failing = {
      ...boxCodec,
      decode: () => {
        throw cause;
      },
    };
    const error = thrownBy(() => using(failing).loadsTyped(type, data));
    expect(error).toBeInstanceOf(UndecodableError);
    expect(error).toMatchObject({ cause, details: { codec: "box" } });
  });

  it("that are missing are named", () => {
    const [type, data] = using(boxCodec).dumpsTyped(new Box(1));
    const error = thrownBy(() => new MsgpackSerializer().loadsTyped(type, data));
    expect(error).toBeInstanceOf(UndecodableError);
    expect(error).toMatchObject({ message: expect.stringContaining('codec "box", which is not registered') });
  });

  it("must not lead back to the instance, or on without end", () => {
    const parts: unknown[] = [];
    const box = new Box(parts);
    parts.push({ back: box });
    const error = thrownBy(() => using(boxCodec).dumpsTyped({ box }));
    expect(error).toBeInstanceOf(UnserializableError);
    expect(error).toMatchObject({
      path: ["box", "content", 0, "back"],
      message: expect.stringContaining("leads back"),
    });

    const endless = { ...boxCodec, encode: () => ({ content: new Box(1) }) };
    expect(() => using(endless).dumpsTyped(new Box(1))).toThrow("levels");
  });
});
