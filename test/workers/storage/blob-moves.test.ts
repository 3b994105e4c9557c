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
    const source = new BlobMoves(new LazyTables(storage.sql), env.BLOBS, object.prefix);
    const [blob, ...others] = source.outside("t");
    if (blob === undefined) throw new Error("There is one.");
    expect(others).toEqual([]);
    const bytes = await source.read("t", blob.hash);
    expect(bytes.length).toBe(blob.size);
    const target = new BlobMoves(new LazyTables(storage.sql), undefined, object.prefix);
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

it("names the value that no row knows", async () => {
  const { object } = await filled();
  await object.run(async ({ storage }) => {
    const moves = new BlobMoves(new LazyTables(storage.sql), env.BLOBS, object.prefix);
    await expect(moves.write("t", "00ff", new Uint8Array(1))).rejects.toMatchObject({
      code: "blob_missing",
      details: { hash: "00ff" },
    });
  });
});
