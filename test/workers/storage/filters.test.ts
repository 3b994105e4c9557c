import { beforeEach, describe, expect, it } from "vitest";
import { EncryptedSerializer } from "../../../src/checkpoint/serde/encryption/encrypted-serializer.ts";
import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "../../../src/checkpoint/serde/protocol.ts";
import type { CheckpointConfig, CheckpointMetadata } from "../../../src/checkpoint/types.ts";
import { checkpointOf, collect, METADATA, putAll, threadConfig } from "../../contract/fixtures.ts";
import { countedSql, newCounts } from "./counted-sql.ts";
import type { Counts } from "./counted-sql.ts";
import { SaverObject, type SaverInObject, type SaverSettings } from "./durable-saver.ts";

const THREAD = threadConfig("t");

/** Counts how often metadata and bodies are decoded. */
class CountingSerializer extends MsgpackSerializer {
  loads = 0;

  override loadsTyped(type: string, data: Uint8Array | string): unknown {
    this.loads += 1;
    return super.loadsTyped(type, data);
  }
}

describe("a filter by metadata", () => {
  let object: SaverObject;
  let counts: Counts;
  beforeEach(async () => {
    object = await SaverObject.create();
    counts = newCounts();
  });

  const open = (settings: SaverSettings = {}) =>
    object.saver({ sql: (sql) => countedSql(sql, counts), ...settings });

  async function fill(saver: SaverInObject, metadata: readonly Record<string, unknown>[]): Promise<void> {
    let config: CheckpointConfig = THREAD;
    for (const [step, each] of metadata.entries()) {
      // Filters are about what other savers may have written, too.
      const all = { ...METADATA, step, ...each } as CheckpointMetadata;
      config = await putAll(saver, config, checkpointOf({ step }), all);
    }
  }

  async function stepsOf(saver: SaverInObject, filter: Record<string, unknown>, limit?: number) {
    const tuples = await collect(saver, THREAD, { filter, ...(limit !== undefined && { limit }) });
    return tuples.map(({ metadata }) => metadata?.step);
  }

  it("of any key reads the rows down to the last match once, and decodes the matches only", async () => {
    const serde = new CountingSerializer();
    const saver = await open({ serde });
    const tenants = Array.from({ length: 200 }, (_, n) => ({ tenant: n % 10 === 0 ? "acme" : "globex" }));
    await fill(saver, tenants);
    const before = { ...counts, statements: counts.statements.length };
    serde.loads = 0;
    expect(await stepsOf(saver, { tenant: "acme" }, 2)).toEqual([190, 180]);
    const listings = counts.statements
      .slice(before.statements)
      .filter((text) => /FROM checkpoints.*ORDER BY/s.test(text));
    expect(listings).toHaveLength(1);
    // Down to 180, and what the two values are read from.
    expect(counts.rowsRead - before.rowsRead).toBeLessThan(20 + 4 * 64);
    expect(serde.loads).toBeLessThan(2 + 2 * 64);
    serde.loads = 0;
    expect(await stepsOf(saver, { tenant: "nobody" })).toEqual([]);
    expect(serde.loads).toBe(0);
  });

  const CASES: readonly (readonly [filter: Record<string, unknown>, steps: readonly number[]])[] = [
    [{ a: 1 }, [0]],
    [{ a: true }, [1]],
    [{ a: "1" }, [2]],
    [{ a: null }, [3]],
    [{ a: 1.5 }, [5]],
    [{ a: -0 }, [6]],
    [{ a: { b: [1, { c: "x" }] } }, [4]],
    [{ a: { b: [1, { c: "y" }] } }, []],
    [{ a: { b: [1] } }, []],
    [{ a: [] }, [7]],
    [{ a: Number.NaN }, [8]],
    [{ a: 10n }, [9]],
    [{ 'quoted "key"': "é\u{1F600}" }, [10]],
    [{ "a.b": "dots", "": "empty" }, [11]],
    [{ a: "\ud800" }, [12]],
    [{ a: undefined }, [11, 10]],
    [{ a: new Date(0) }, []],
    [{ a: 1, step: 0 }, [0]],
    [{ a: 1, step: 1 }, []],
    [{ parents: { "": "x" } }, [13]],
    [{ source: 5 }, [14]],
  ];
  const ROWS: readonly Record<string, unknown>[] = [
    { a: 1 },
    { a: true },
    { a: "1" },
    { a: null },
    { a: { b: [1, { c: "x" }] } },
    { a: 1.5 },
    { a: 0 },
    { a: [] },
    { a: Number.NaN },
    { a: 10n },
    { 'quoted "key"': "é\u{1F600}" },
    { "a.b": "dots", "": "empty" },
    { a: "\ud800" },
    { a: "parents", parents: { "": "x" } },
    { a: "source", source: 5 },
  ];

  it.each<[string, () => SerializerProtocol]>([
    ["as it is", () => new MsgpackSerializer()],
    ["encrypted", () => new EncryptedSerializer({ current: "a", keys: { a: new Uint8Array(32).fill(1) } })],
  ])("finds what is equal, whatever it is: metadata %s", async (name, serde) => {
    const saver = await open({ serde: serde() });
    await fill(saver, ROWS);
    for (const [filter, steps] of CASES)
      expect([filter, await stepsOf(saver, filter)]).toEqual([filter, steps]);
    const types = await object.query("SELECT DISTINCT metadata_type AS type FROM checkpoints ORDER BY 1");
    const expected = name === "encrypted" ? ["encrypted"] : ["json-text", "msgpack"];
    expect(types.map(({ type }) => type)).toEqual(expected);
    const listed = (await collect(saver, THREAD)).toReversed();
    expect(listed.map(({ metadata }) => metadata)).toEqual(
      ROWS.map((row, step) => ({ ...METADATA, step, ...row })),
    );
  });

  it("says which metadata is damaged, and takes none that is not encrypted for its own", async () => {
    const saver = await open();
    await fill(saver, [{ a: 1 }]);
    const encrypted = await open({
      serde: new EncryptedSerializer({ current: "a", keys: { a: new Uint8Array(32) } }),
    });
    await expect(stepsOf(encrypted, { a: 1 })).rejects.toMatchObject({ code: "not_encrypted" });
    await object.query("UPDATE checkpoints SET metadata = '{\"a\":'");
    await expect(stepsOf(await open(), { a: 1 })).rejects.toMatchObject({ code: "undecodable" });
  });
});
