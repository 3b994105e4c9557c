import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Annotation, Command, interrupt, MemorySaver, START, StateGraph } from "tidemark";
import { EncryptedSerializer, type EncryptedSerializerOptions } from "tidemark/checkpoint";
import { NONCE_SIZE } from "../../../src/checkpoint/serde/encryption/envelope.ts";
import { DecryptionError, MissingKeyError } from "../../../src/checkpoint/serde/encryption/errors.ts";
import { UndecodableError, UnserializableError } from "../../../src/errors.ts";
import { value } from "./arbitraries.ts";
import { difference } from "./same.ts";
import { bytesOf, hexOf, serializer } from "./support.ts";

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

function using(options: Partial<EncryptedSerializerOptions> = {}): EncryptedSerializer {
  return new EncryptedSerializer({ current: "a", keys: { a: key(1) }, serde: serializer, ...options });
}

const one = using();
const rotated = using({ current: "b", keys: { a: key(1), b: key(2) } });

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("nothing was thrown"),
    (error: unknown) => error,
  );
}

describe("EncryptedSerializer", () => {
  it("gives back every value that the serializer inside does", async () => {
    await fc.assert(
      fc.asyncProperty(value, async (before) => {
        const after = await one.loadsTyped(...(await one.dumpsTyped(before)));
        expect(difference(before, after)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("shows nothing of the value", async () => {
    const secret = "a secret that is long enough to be found";
    const [type, data] = await one.dumpsTyped({ secret });
    expect(type).toBe("encrypted");
    expect(Buffer.from(data).includes("secret")).toBe(false);
    expect((await one.dumpsTyped({ secret }))[1]).not.toEqual(data);
  });

  it("stores the value of the time of the call", async () => {
    const changing = { v: 1 };
    const pending = one.dumpsTyped(changing);
    changing.v = 2;
    expect(await one.loadsTyped(...(await pending))).toEqual({ v: 1 });
  });

  it("takes a nonce of 96 bits from its source, and writes it", async () => {
    const asked: number[] = [];
    const fixed = using({
      randomBytes: (size) => {
        asked.push(size);
        return new Uint8Array(size).fill(7);
      },
    });
    const [, data] = await fixed.dumpsTyped("x");
    expect(asked).toEqual([NONCE_SIZE]);
    expect(hexOf(data)).toContain("07".repeat(12));
  });

  it("refuses what the serializer inside refuses, with its path", async () => {
    const error = await failure(one.dumpsTyped({ a: [() => 1] }));
    expect(error).toBeInstanceOf(UnserializableError);
    expect(error).toMatchObject({ path: ["a", 0] });
  });

  it("still reads version 1", async () => {
    const fixed = using({ randomBytes: (size) => new Uint8Array(size).fill(7) });
    const version1 =
      "010161076d73677061636b070707070707070707070707fb7a692b23a9e756d88cc629bfa3b39b889a57997edc5bf642";
    expect(hexOf((await fixed.dumpsTyped({ v: [1, "é"] }))[1])).toBe(version1);
    expect(await one.loadsTyped("encrypted", bytesOf(version1))).toEqual({ v: [1, "é"] });
  });
});

describe("a key ring", () => {
  it("reads with old keys and writes with the current one", async () => {
    const old = await one.dumpsTyped({ v: 1 });
    expect(await rotated.loadsTyped(...old)).toEqual({ v: 1 });
    const [type, data] = await rotated.dumpsTyped({ v: 2 });
    expect(await using({ current: "b", keys: { b: key(2) } }).loadsTyped(type, data)).toEqual({ v: 2 });
  });

  it("names the key that is missing", async () => {
    const error = await failure(one.loadsTyped(...(await rotated.dumpsTyped(1))));
    expect(error).toBeInstanceOf(MissingKeyError);
    expect(error).toMatchObject({
      code: "encryption_key_missing",
      details: { key_id: "b", known: ["a"] },
      message: expect.stringContaining('"b"'),
    });
  });

  it("names the key that is another one than it was", async () => {
    const error = await failure(using({ keys: { a: key(9) } }).loadsTyped(...(await one.dumpsTyped(1))));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(error).toMatchObject({ code: "decryption_failed", details: { key_id: "a" } });
  });

  it("takes keys as base64 too, and refuses others by name", async () => {
    const base64 = using({ keys: { a: `${Buffer.from(key(1)).toString("base64")}\n` } });
    expect(await base64.loadsTyped(...(await one.dumpsTyped(1)))).toBe(1);
    for (const bad of ["", "short", "not base64!", new Uint8Array(16), Object(undefined)]) {
      expect(() => using({ keys: { a: bad } })).toThrow('key "a" has to be 32 random bytes');
    }
    expect(() => using({ current: "c" })).toThrow('key "c" is the current one');
    expect(() => using({ current: "", keys: { "": key(1) } })).toThrow("needs an id");
    expect(() => using({ keys: { a: key(1), ["é".repeat(128)]: key(1) } })).toThrow("needs an id");
  });

  it("fingerprints bytes by the current key: the same ones alike, and not by their SHA-256", async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const fingerprint = hexOf(await one.fingerprint(bytes));
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(hexOf(await using().fingerprint(bytes))).toBe(fingerprint);
    expect(hexOf(await rotated.fingerprint(bytes))).not.toBe(fingerprint);
    expect(fingerprint).not.toBe(hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))));
  });
});

describe("what is not encrypted", () => {
  it("is refused, or read where the serializer is told so", async () => {
    const plain = serializer.dumpsTyped({ v: 1 });
    expect(await failure(one.loadsTyped(...plain))).toMatchObject({ code: "not_encrypted" });
    expect(await using({ readsPlain: true }).loadsTyped(...plain)).toEqual({ v: 1 });
  });
});

describe("damaged bytes are refused", () => {
  it("wherever one is changed, or they are cut", async () => {
    const [type, data] = await one.dumpsTyped({ v: "text", n: [1, 2n] });
    for (let at = 0; at < data.length; at++) {
      const changed = data.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      for (const damaged of [changed, data.slice(0, at)]) {
        const error = await failure(one.loadsTyped(type, damaged));
        expect(error instanceof DecryptionError || error instanceof UndecodableError).toBe(true);
      }
    }
  });

  it("whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), fc.boolean(), async (bytes, isVersion1) => {
        const data = isVersion1 ? Uint8Array.from([1, 1, 97, 0, ...bytes]) : bytes;
        const error = await failure(one.loadsTyped("encrypted", data));
        expect(error instanceof DecryptionError || error instanceof UndecodableError).toBe(true);
      }),
      { numRuns: 300 },
    );
    expect(await failure(one.loadsTyped("encrypted", "text"))).toBeInstanceOf(UndecodableError);
    expect(await failure(one.loadsTyped("encrypted", Uint8Array.of(2)))).toMatchObject({
      details: { version: 2 },
    });
  });

  it("when a head is put before other data", async () => {
    const [type, first] = await one.dumpsTyped(null);
    const [, second] = await one.dumpsTyped(new Uint8Array(0));
    const mixed = Uint8Array.from([...first.subarray(0, 8), ...second.subarray(9)]);
    expect(await failure(one.loadsTyped(type, mixed))).toMatchObject({ code: "decryption_failed" });
  });
});

describe("a graph whose saver encrypts", () => {
  it("pauses, goes on after a rotation, and says which key is missing", async () => {
    const State = Annotation.Root({ v: Annotation<unknown>() });
    const builder = new StateGraph(State)
      .addNode("ask", ({ v }) => ({ v: [v, interrupt("?")] }))
      .addEdge(START, "ask");
    const config = { configurable: { thread_id: "t" } };
    let serde = using();
    const saver = new MemorySaver({
      dumpsTyped: (given) => serde.dumpsTyped(given),
      loadsTyped: (type, data) => serde.loadsTyped(type, data),
    });
    const graph = builder.compile({ checkpointer: saver });
    await graph.invoke({ v: new Date(0) }, config);
    serde = using({ current: "b", keys: { b: key(2) } });
    await expect(graph.getState(config)).rejects.toMatchObject({ code: "encryption_key_missing" });
    serde = rotated;
    expect(await graph.invoke(new Command({ resume: 1n }), config)).toEqual({ v: [new Date(0), 1n] });
  });
});
