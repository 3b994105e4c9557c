import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "../../../src/checkpoint/serde/byte-writer.ts";
import { roundTrip, serializer } from "./support.ts";

type Token =
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "raw"; readonly bytes: Uint8Array }
  | { readonly kind: "extension" | "undone"; readonly parts: readonly Token[] };

const { token } = fc.letrec<{ token: Token }>((tie) => ({
  token: fc.oneof(
    { maxDepth: 4 },
    fc.record({ kind: fc.constant("number"), number: fc.double() }),
    fc.record({ kind: fc.constant("text"), text: fc.string({ unit: "binary", maxLength: 400 }) }),
    fc.record({ kind: fc.constant("raw"), bytes: fc.uint8Array({ maxLength: 600 }) }),
    fc.record({
      kind: fc.constantFrom("extension", "undone"),
      parts: fc.array(tie("token"), { maxLength: 6 }),
    }),
  ) as fc.Arbitrary<Token>,
}));

function write(to: ByteWriter, written: Token): void {
  switch (written.kind) {
    case "number":
      return to.number(written.number);
    case "text":
      return to.string(written.text);
    case "raw":
      return to.raw(written.bytes);
    case "extension": {
      const start = to.openExtension();
      for (const part of written.parts) write(to, part);
      return to.closeExtension(7, start);
    }
    case "undone": {
      const { position } = to;
      for (const part of written.parts) write(to, part);
      return to.rewind(position);
    }
  }
}

describe("a writer of bytes with a limit", () => {
  it("counts what it does not keep, to the byte", () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 20 }), (tokens) => {
        const whole = new ByteWriter(16);
        const counting = new ByteWriter(16, 300);
        for (const each of tokens) {
          write(whole, each);
          write(counting, each);
          expect(counting.position).toBe(whole.position);
        }
        if (counting.isWhole) expect(counting.copy()).toEqual(whole.take());
        const roomy = counting.roomy();
        for (const each of tokens) write(roomy, each);
        expect(roomy.take()).toEqual(whole.take());
      }),
      { numRuns: 500 },
    );
  });
});

describe("a large value", () => {
  it("is written into one buffer, hardly larger than it", () => {
    const text = "é0123456789".repeat(50_000);
    const large = { list: Array.from({ length: 9 }, (_, n) => `${n}${text}`), set: new Set([text]) };
    const [, data] = serializer.dumpsTyped(large);
    expect(data.length).toBeGreaterThan(5_000_000);
    expect(data.buffer.byteLength - data.length).toBeLessThan(200_000);
    expect(roundTrip(large)).toEqual(large);
  });
});
