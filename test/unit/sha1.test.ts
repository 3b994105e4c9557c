import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { v5 } from "uuid";
import { expect, it } from "vitest";
import { uuid5 } from "../../src/uuid5.ts";
import { sha1 } from "../../src/sha1.ts";

const prefix = fc.uint8Array({ minLength: 16, maxLength: 16 });

it("is SHA-1", () => {
  fc.assert(
    fc.property(prefix, fc.string({ maxLength: 300, unit: "binary" }), (bytes, text) => {
      const expected = createHash("sha1").update(bytes).update(text).digest("hex");
      expect(sha1(bytes, text)).toBe(expected);
    }),
  );
});

it("at every length around the size of a block", () => {
  for (let length = 0; length < 150; length++) {
    const text = "x".repeat(length);
    const expected = createHash("sha1").update(new Uint8Array(16)).update(text).digest("hex");
    expect(sha1(new Uint8Array(16), text)).toBe(expected);
  }
});

it("of texts that begin as the one before", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 40, maxLength: 300 }), fc.array(fc.string()), (begin, ends) => {
      for (const text of ends.flatMap((end) => [begin + end, begin + end, end])) {
        const expected = createHash("sha1").update(new Uint8Array(16)).update(text).digest("hex");
        expect(sha1(new Uint8Array(16), text)).toBe(expected);
      }
    }),
  );
});

it("makes the UUIDs of version 5", () => {
  fc.assert(
    fc.property(fc.string(), fc.uuid(), (name, namespace) => {
      expect(uuid5(name, namespace)).toBe(v5(name, namespace));
    }),
  );
});
