import { MsgpackSerializer } from "../../../src/checkpoint/index.ts";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { checkpointOf, putAll, threadConfig } from "../../contract/fixtures.ts";
import { BlobMoves } from "../../../src/storage/blob-moves.ts";
import { LazyTables } from "../../../src/storage/lazy-tables.ts";
import { SaverObject } from "./durable-saver.ts";

const text = "x".repeat(2_500_000);

/** An object with one large value in the bucket. */
async function filled() {
  const object = await SaverObject.create();
  const saver = await object.saver({ bucket: env.BLOBS });
  const config = await putAll(saver, threadConfig("t"), checkpointOf({ text }));
  return { object, config };
}

it("keeps a large value in the tables where there is no bucket to move it to", async () => {
  const { object, config } = await filled();
  await object.run(async ({ storage }) => {
    const source = new BlobMoves(
      new LazyTables(storage.sql),
      env.BLOBS,
      object.prefix,
      new MsgpackSerializer(),
    );
    const [blob, ...others] = source.outside("t");
    if (blob === undefined) throw new Error("There is one.");
    expect(others).toEqual([]);
    const bytes = await source.read("t", blob.hash);
    expect(bytes.length).toBe(blob.size);
    const target = new BlobMoves(
      new LazyTables(storage.sql),
      undefined,
      object.prefix,
      new MsgpackSerializer(),
    );
    await expect(target.read("t", blob.hash)).rejects.toMatchObject({ code: "blob_unavailable" });
    await expect(target.gone("t")).rejects.toMatchObject({ code: "blob_unavailable" });
    expect(await source.gone("t")).toEqual([]);
    await target.write("t", blob.hash, bytes);
    expect(target.outside("t")).toEqual([]);
  });
  expect(await object.count("parts")).toBe(3);
  const saver = await object.saver();
  expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ text });
});

it.each([
  ["has lost a part", "DELETE FROM parts WHERE n = 1"],
  ["has lost all parts", "DELETE FROM parts"],
  ["has a part of another", "UPDATE parts SET bytes = zeroblob(1000000) WHERE n = 2"],
  ["says that it is longer", "UPDATE blobs SET size = size + 1"],
  ["says that it is longer than anything can be", "UPDATE blobs SET size = 9007199254740991"],
  ["says that it is shorter than nothing", "UPDATE blobs SET size = -1"],
])("gives no other value for one that %s", async (_, damage) => {
  const object = await SaverObject.create();
  const config = await putAll(await object.saver(), threadConfig("t"), checkpointOf({ text }));
  await object.run(({ storage }) => storage.sql.exec(damage).toArray());
  const saver = await object.saver();
  await expect(saver.getTuple(config)).rejects.toMatchObject({
    code: "undecodable",
    message: expect.stringContaining("2500000"),
  });
});

it("gives no other value for an object in the bucket that is longer than it was", async () => {
  const { object, config } = await filled();
  await object.run(({ storage }) => storage.sql.exec("UPDATE blobs SET size = size - 1").toArray());
  const saver = await object.saver({ bucket: env.BLOBS });
  await expect(saver.getTuple(config)).rejects.toMatchObject({ code: "undecodable" });
});

it("names the value that no row knows", async () => {
  const { object } = await filled();
  await object.run(async ({ storage }) => {
    const moves = new BlobMoves(
      new LazyTables(storage.sql),
      env.BLOBS,
      object.prefix,
      new MsgpackSerializer(),
    );
    await expect(moves.write("t", "00ff", new Uint8Array(1))).rejects.toMatchObject({
      code: "blob_missing",
      details: { hash: "00ff" },
    });
  });
});
