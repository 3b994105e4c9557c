import { describe, expect, it } from "vitest";
import { extractOf } from "../../src/thread/announcing/extract.ts";

describe("what a directory gets of a thread's values", () => {
  it("is what stands at the paths that are configured, and nothing else", () => {
    const values = { topic: "tea", order: { id: 7, card: "secret" }, messages: ["secret"] };
    const paths = ["topic", "order.id", "order.none", "none", "topic.length", "constructor"];
    expect(extractOf(values, paths)).toEqual({ topic: "tea", order: { id: 7 } });
    expect(extractOf(undefined, paths)).toEqual({});
  });

  it("is JSON", () => {
    const values = { when: new Date(0), large: 10n ** 20n };
    expect(extractOf(values, ["when", "large"])).toEqual({
      when: "1970-01-01T00:00:00.000Z",
      large: "100000000000000000000",
    });
  });

  it("has four kilobytes at most: what does not fit is left out, and what comes after it may fit", () => {
    const values = { a: "x".repeat(2000), b: "x".repeat(2100), c: "x".repeat(2000), d: "x" };
    const extract = extractOf(values, ["a", "b", "c", "d"]);
    expect(Object.keys(extract)).toEqual(["a", "c", "d"]);
    expect(extractOf({ a: "x".repeat(4100) }, ["a"])).toEqual({});
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`k${index}`, "x".repeat(20)]),
    );
    const kept = extractOf(many, Object.keys(many));
    expect(Object.keys(kept).length).toBeLessThan(170);
  });
});
