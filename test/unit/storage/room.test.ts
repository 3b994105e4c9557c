import { expect, it } from "vitest";
import type { CheckpointConfig } from "../../../src/checkpoint/types.ts";
import { ExternalReference } from "../../../src/checkpoint/serde/external-reference.ts";
import type { MemorySqlStorage } from "../../support/sql-storage.ts";
import { checkpointOf, putAll, threadConfig } from "../../contract/fixtures.ts";
import { serializer } from "../serde/support.ts";
import { saverOf, threadTables } from "./support.ts";

/** What an archive that somebody has made up may have: many rows, or references, of the same large value. */

const MEBI = 1024 * 1024;
/** A body of so many bytes, in texts that are no large values. */
const texts = () => Array.from({ length: 300 }, (_, index) => `${index} `.padEnd(100_000, "x"));

async function written(storage: MemorySqlStorage, values: Readonly<Record<string, unknown>>) {
  return putAll(saverOf(storage), threadConfig("t"), checkpointOf(values));
}

it("as many tasks as come to more than an object has room for are not read, where each has the same large body", async () => {
  const storage = threadTables();
  const config = await written(storage, { log: [] });
  await saverOf(storage).putWrites(config, [["log", texts()]], "task 0");
  const copy = (count: number) => {
    for (let task = 1; task <= count; task++)
      storage.sql.exec(
        `INSERT INTO writes SELECT namespace, checkpoint, ?, type, body, body_hash FROM writes WHERE task = 'task 0'`,
        `task ${task} of ${count}`,
      );
  };
  copy(3);
  expect((await saverOf(storage).getTuple(config))?.pendingWrites).toHaveLength(4);
  copy(10);
  await expect(saverOf(storage).getTuple(config)).rejects.toThrow(
    "more comes of it than an object has room for",
  );
});

it("as many rows of a chain are not read, where each has the same large body", async () => {
  const storage = threadTables();
  let config: CheckpointConfig = await written(storage, { log: [] });
  const saver = saverOf(storage);
  config = await putAll(saver, config, checkpointOf({ log: texts() }));
  const first = config;
  for (let step = 0; step < 12; step++)
    config = await putAll(saver, config, checkpointOf({ log: [`${step}`] }));
  const second = "(SELECT id FROM checkpoints ORDER BY id LIMIT 1 OFFSET 1)";
  storage.sql.exec(
    `UPDATE checkpoints SET level = 0, base = NULL, body = NULL,
       (type, body_hash) = (SELECT type, body_hash FROM checkpoints WHERE id = ${second}) WHERE id > ${second}`,
  );
  expect((await saverOf(storage).get(first))?.channel_values["log"]).toHaveLength(300);
  await expect(saverOf(storage).get(config)).rejects.toThrow("more comes of it than an object has room for");
});

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

it("bytes that stand in too many places are not read, and a text that does is one", async () => {
  const bytes = new Uint8Array(24 * MEBI);
  expect((await withReferences(bytes, "Uint8Array", 3))?.channel_values["log"]).toHaveLength(3);
  await expect(withReferences(bytes, "Uint8Array", 6)).rejects.toThrow("more comes of its copies of bytes");
  const text = new Uint8Array(8 * MEBI).fill(120);
  const { log } = (await withReferences(text, "text", 100))?.channel_values ?? {};
  expect(new Set(Array.isArray(log) ? log : [])).toEqual(new Set(["x".repeat(text.length)]));
});

it("bytes that stand in too many places are not written", async () => {
  const files = Array.from({ length: 6 }, () => new Uint8Array(24 * MEBI));
  await expect(written(threadTables(), { files })).rejects.toMatchObject({ code: "value_too_large" });
});

it.each(["Float64Array", "text", "Surprise"])("bytes that are no %s are told of", async (kind) => {
  const reading = withReferences(new Uint8Array(200_001).fill(255), kind, 1);
  await expect(reading).rejects.toMatchObject({ code: "undecodable" });
});
