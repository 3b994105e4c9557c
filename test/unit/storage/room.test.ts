import { expect, it } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import { ExternalReference } from "../../../src/checkpoint/serde/external-reference.ts";
import type { MemorySqlStorage } from "../../support/sql-storage.ts";
import { checkpointOf, putAll, threadConfig } from "../../contract/fixtures.ts";
import { serializer } from "../serde/support.ts";
import { saverOf, threadTables } from "./support.ts";

const MEBI = 1024 * 1024;

async function written(storage: MemorySqlStorage, values: Readonly<Record<string, unknown>>) {
  return putAll(saverOf(storage), threadConfig("t"), checkpointOf(values));
}

/** Has so many references of one kind to a value in the place of what it has. */
async function withReferences(bytes: Uint8Array, kind: string, count: number) {
  const storage = threadTables();
  const config = await written(storage, { log: [bytes] });
  const [row] = storage.sql.exec<{ hash: string }>("SELECT lower(hex(hash)) AS hash FROM blobs").toArray();
  const references = Array.from(
    { length: count },
    () => new ExternalReference(kind, row?.hash ?? "", bytes.length),
  );
  const frame = { v: 4, ts: 0, channel_versions: { log: 1 }, versions_seen: {} };
  const [type, body] = serializer.dumpsTyped([frame, { log: references }]);
  storage.sql.exec("UPDATE checkpoints SET type = ?, body = ?", type, body);
  return saverOf(storage).get(config);
}

it("a text that stands in many places is one when it is read", async () => {
  const text = new Uint8Array(8 * MEBI).fill(120);
  const { log } = (await withReferences(text, "text", 100))?.channel_values ?? {};
  expect(new Set(Array.isArray(log) ? log : [])).toEqual(new Set(["x".repeat(text.length)]));
});

it("what was written in parts is read together, however often equal bytes stand in it", async () => {
  const storage = threadTables();
  const saver = saverOf(storage);
  const sixty = () => adopt(Array.from({ length: 60 }, () => new Uint8Array(MEBI).fill(7)));
  const a = sixty();
  const config = await putAll(saver, threadConfig("t"), checkpointOf({ a }));
  const both = await putAll(saver, config, checkpointOf({ a, b: sixty() }));
  const read = await saverOf(storage).getTuple(both);
  expect(Object.keys(read?.checkpoint.channel_values ?? {})).toEqual(["a", "b"]);
});

it("bytes that stand in too many places are not written", async () => {
  const files = Array.from({ length: 6 }, () => new Uint8Array(24 * MEBI));
  await expect(written(threadTables(), { files })).rejects.toMatchObject({ code: "value_too_large" });
});

it.each(["Float64Array", "text", "Surprise"])("bytes that are no %s are told of", async (kind) => {
  const reading = withReferences(new Uint8Array(200_001).fill(255), kind, 1);
  await expect(reading).rejects.toMatchObject({ code: "undecodable" });
});
