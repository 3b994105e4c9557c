import { array, assert, asyncProperty, nat } from "fast-check";
import { describe, expect, it } from "vitest";
import { readArchive } from "../../../src/archive/read-archive.ts";
import type { ContentRecord } from "../../../src/archive/records.ts";
import { writeArchive } from "../../../src/archive/write-archive.ts";

const records: readonly ContentRecord[] = [
  { kind: "thread", schema: 2, graph: "g", columns: { created_at: 1 } },
  {
    kind: "rows",
    table: "runs",
    columns: ["id", "request"],
    rows: [
      ["r", new Uint8Array([1, 2])],
      ["s", null],
    ],
  },
  { kind: "blob", hash: "abc", size: 3, bytes: new Uint8Array([7, 8, 9]) },
  {
    kind: "checkpoint",
    namespace: "",
    parentId: "p",
    checkpoint: {
      v: 4,
      id: "c",
      ts: "t",
      channel_values: { a: 1n },
      channel_versions: { a: 1 },
      versions_seen: {},
    },
    metadata: { source: "loop", step: 1, parents: {}, own: true },
    writes: [["task", "a", new Map([["k", undefined]])]],
  },
];

async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function bytesOf(contents: readonly unknown[]): Promise<Uint8Array> {
  return new Uint8Array(Buffer.concat(await all(writeArchive(each(contents as ContentRecord[])))));
}

function recordsOf(...chunks: readonly Uint8Array[]): Promise<ContentRecord[]> {
  return all(readArchive(each(chunks)));
}

const damaged = { name: "InvalidArchiveError", code: "invalid_archive" };

describe("an archive", () => {
  it("gives back the records that were written, however its bytes are cut", async () => {
    const bytes = await bytesOf(records);
    expect(await recordsOf(bytes)).toEqual(records);
    expect(await recordsOf(...Array.from(bytes, (byte) => new Uint8Array([byte])))).toEqual(records);
    const cut = array(nat(bytes.length), { maxLength: 6 });
    await assert(
      asyncProperty(cut, async (places) => {
        const ends = [...places.toSorted((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(await recordsOf(...chunks)).toEqual(records);
      }),
      { numRuns: 30 },
    );
  });

  it("is refused wherever it is cut off", async () => {
    const bytes = await bytesOf(records);
    for (let end = 0; end < bytes.length; end++) {
      await expect(recordsOf(bytes.subarray(0, end)), `cut at ${end}`).rejects.toMatchObject(damaged);
    }
  });

  it("is refused whichever of its bits is not as written", async () => {
    const bytes = await bytesOf(records);
    for (let at = 0; at < bytes.length * 8; at += 7) {
      const flipped = bytes.slice();
      const index = Math.floor(at / 8);
      flipped[index] = (flipped[index] ?? 0) ^ (1 << (at % 8));
      const error: unknown = await recordsOf(flipped).catch((reason: unknown) => reason);
      expect(error, `bit ${at}`).toMatchObject({
        code: expect.stringMatching(/^(invalid_archive|archive_too_new)$/),
      });
    }
  });

  it("is refused when a whole record is missing, doubled or moved", async () => {
    const [prefix, a, b, c, ...others] = await all(writeArchive(each(records)));
    if (!prefix || !a || !b || !c) throw new Error("There are four records.");
    for (const chunks of [
      [prefix, a, b, ...others],
      [prefix, a, b, b, c, ...others],
      [prefix, b, a, c, ...others],
    ]) {
      await expect(recordsOf(...chunks)).rejects.toMatchObject(damaged);
    }
  });

  it("is refused when bytes follow, and when it is something else", async () => {
    const bytes = await bytesOf(records);
    await expect(recordsOf(bytes, new Uint8Array([0]))).rejects.toThrow(/bytes follow after its end/);
    await expect(
      recordsOf(new TextEncoder().encode(`{"an": "object of JSON, long enough"}`)),
    ).rejects.toThrow(/does not begin like an archive/);
    await expect(recordsOf()).rejects.toThrow(/cut off/);
  });

  it("says when newer code has written it", async () => {
    const bytes = await bytesOf(records);
    bytes[bytes.indexOf(10) - 1] = 9;
    await expect(recordsOf(bytes)).rejects.toMatchObject({
      code: "archive_too_new",
      details: { archive_version: 9, code_version: 1 },
    });
  });

  it.each([
    ["a record of no known kind", { kind: "surprise" }],
    ["something that is no record", 7],
    ["a row that holds an object", { kind: "rows", table: "t", columns: ["a"], rows: [[{}]] }],
    ["a checkpoint without versions", { ...records[3], checkpoint: { v: 4, id: "c", ts: "t" } }],
    ["an unknown key", { ...records[0], more: 1 }],
  ])("is refused with %s", async (_, record) => {
    await expect(bytesOf([record]).then((bytes) => recordsOf(bytes))).rejects.toMatchObject(damaged);
  });

  it("allocates nothing for a record that says it is enormous", async () => {
    const bytes = (await bytesOf(records)).slice(0, 100);
    bytes.fill(255, bytes.indexOf(10) + 1);
    await expect(recordsOf(bytes)).rejects.toThrow(/too long/);
  });
});
