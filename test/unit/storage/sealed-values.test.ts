import { describe, expect, it } from "vitest";
import { EncryptedSerializer } from "tidemark/checkpoint";
import { checkpointOf, putAll, threadConfig } from "../../contract/fixtures.ts";
import { saverOf, threadTables } from "./support.ts";

const text = "approved ".repeat(100);
const forged = new TextEncoder().encode(text.replaceAll("approved", "rejected"));
const keys = { current: "a", keys: { a: new Uint8Array(32).fill(1) } };
const sealing = (readsPlain: boolean) => ({
  inlineLimit: 300,
  serde: new EncryptedSerializer({ ...keys, readsPlain }),
});

describe("a large value beside one that is encrypted", () => {
  it("is refused when somebody has put plain bytes in its place", async () => {
    const tables = threadTables();
    const config = await putAll(saverOf(tables, sealing(false)), threadConfig("t"), checkpointOf({ text }));
    tables.sql.exec("UPDATE parts SET bytes = ?", forged);
    tables.sql.exec("UPDATE blobs SET type = NULL, size = ?", forged.length);
    const reading = saverOf(tables, sealing(false)).getTuple(config);
    await expect(reading).rejects.toMatchObject({ code: "not_encrypted" });
  });

  it("is read where it was stored before there was a key, for as long as plain ones are", async () => {
    const tables = threadTables();
    const before = await putAll(
      saverOf(tables, { inlineLimit: 300 }),
      threadConfig("t"),
      checkpointOf({ text }),
    );
    const saver = saverOf(tables, sealing(true));
    expect((await saver.getTuple(before))?.checkpoint.channel_values).toEqual({ text });
    const after = await putAll(saver, before, checkpointOf({ text, more: 1 }));
    expect((await saver.getTuple(after))?.checkpoint.channel_values).toEqual({ text, more: 1 });
    const reading = saverOf(tables, sealing(false)).getTuple(after);
    await expect(reading).rejects.toMatchObject({ code: "not_encrypted" });
  });

  it("may be a whole body, which is encrypted as such", async () => {
    const tables = threadTables();
    const list = Array.from({ length: 20_000 }, (_, index) => `${index} `.padEnd(60, "word "));
    const config = await putAll(saverOf(tables, sealing(false)), threadConfig("t"), checkpointOf({ list }));
    const read = await saverOf(tables, sealing(false)).getTuple(config);
    expect(read?.checkpoint.channel_values).toEqual({ list });
  });
});
