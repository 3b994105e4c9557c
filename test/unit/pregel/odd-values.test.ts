import { describe, expect, it } from "vitest";
import { type BaseCheckpointSaver, MemorySaver } from "tidemark";
import { kept, refused } from "../../support/odd-values.ts";
import { difference } from "../serde/same.ts";
import { saverOf, threadTables } from "../storage/support.ts";
import { chain, thread } from "./support.ts";

/** Each gives a saver of the same storage, as after an eviction. */
const storages: Readonly<Record<string, () => () => BaseCheckpointSaver>> = {
  MemorySaver: () => {
    const saver = new MemorySaver();
    return () => saver;
  },
  SqliteSaver: () => {
    const tables = threadTables();
    return () => saverOf(tables);
  },
};

/** The node before it has written `before`; the one after it says what it got. */
async function store(saver: () => BaseCheckpointSaver, make: () => unknown, before: unknown) {
  const seen: unknown[] = [];
  const builder = chain({
    before: () => ({ v: before }),
    odd: () => ({ v: { in: [make()] } }),
    after: ({ v }) => void seen.push(v),
  });
  const run = await builder.compile({ checkpointer: saver() }).invoke({}, thread);
  const { values } = await builder.compile({ checkpointer: saver() }).getState(thread);
  return { seen: seen[0], result: run.v, read: values.v };
}

describe.each(Object.entries(storages))("with a %s", (_, storage) => {
  it.each(refused)("is refused by name and place: $name", async ({ make, says }) => {
    const saver = storage();
    const refusal = { code: "unserializable", path: ["in", 0], message: expect.stringContaining(says) };
    await expect(store(saver, make, "another")).rejects.toMatchObject({
      ...refusal,
      path: expect.arrayContaining(["in", 0]),
      details: { channel: "v" },
    });
  });

  it.each(kept)("is kept: $name", async ({ make, as }) => {
    const { seen, result, read } = await store(storage(), make, "another");
    const expected = { in: [as()] };
    expect([seen, result, read].map((value) => difference(expected, value))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
