import { describe, expect, it } from "vitest";
import { utf8Length } from "../../../src/storage/large-leaf.ts";
import { Sql } from "../../../src/storage/sql.ts";
import { SaverObject } from "./durable-saver.ts";

describe("Sql refuses what the production service would refuse", () => {
  it.each([
    [
      "a row of more than 2 MB",
      "SELECT ? AS x, ? AS y",
      ["x".repeat(1_000_000), new Uint8Array(1_000_001)],
      "row",
    ],
    ["a text of more than 2 MB in UTF-8", "SELECT ? AS x", ["€".repeat(666_667)], "row"],
    ["101 parameters", `SELECT ${Array(101).fill("?").join()}`, Array<number>(101).fill(1), "parameters"],
    ["a statement of more than 100 KB", `SELECT 1 /* ${"x".repeat(100_000)} */`, [], "statement"],
  ])("%s", async (_, statement, inputs, what) => {
    const object = await SaverObject.create();
    await object.run(({ storage }) => {
      const sql = new Sql(storage.sql);
      expect(() => sql.all(statement, ...inputs)).toThrow(
        expect.objectContaining({ code: "sql_limit", details: expect.objectContaining({ what }) }),
      );
      expect(sql.one("SELECT ? AS x", 1)).toEqual({ x: 1 });
    });
  });

  it("keeps an empty byte array apart from NULL", async () => {
    const object = await SaverObject.create();
    await object.run(({ storage }) => {
      const row = new Sql(storage.sql).one<{ kind: string }>("SELECT typeof(?) AS kind", new Uint8Array(0));
      expect(row.kind).toBe("blob");
    });
  });
});

describe("bytes", () => {
  const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);

  it.each([
    ["few", [16, 16, 64, 0]],
    ["many", [16, 5000, 16]],
    ["more than a row mostly has", [600, 400, 100, 16]],
  ])("%s reach a statement as they are, each in its place", async (_, lengths) => {
    const object = await SaverObject.create();
    await object.run(({ storage }) => {
      const sql = new Sql(storage.sql);
      const inputs = lengths.map((length, index) => bytes(length, index + 1));
      const places = inputs.map((_input, index) => `hex(?) AS h${index}`);
      const row = sql.one<Record<string, string>>(`SELECT ${places.join()}`, ...inputs);
      expect(Object.values(row)).toEqual(lengths.map((length, index) => `0${index + 1}`.repeat(length)));
    });
  });

  it("of a cursor that is read while other statements run stay what they were", async () => {
    const object = await SaverObject.create();
    await object.run(({ storage }) => {
      const sql = new Sql(storage.sql);
      const rows = "WITH n(i) AS (VALUES (1), (2), (3)) SELECT i, hex(substr(?, i - i + 1)) AS h FROM n";
      const seen: string[] = [];
      for (const { h } of sql.each<{ i: number; h: string }>(rows, bytes(2, 7))) {
        sql.one("SELECT ? AS x", bytes(2, 9));
        seen.push(h);
      }
      expect(seen).toEqual(["0707", "0707", "0707"]);
    });
  });
});

describe("utf8Length", () => {
  it.each(["", "abc", "ü", "€", "\u{10000}", "a\ud800", "\udc00\ud800", "\ud800\u{10000}é"])(
    "of %#",
    (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    },
  );
});
