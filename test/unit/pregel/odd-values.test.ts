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

describe.each(Object.entries(storages))("with a %s", (_name, storage) => {
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

  it("an error is for every node what a reload would give", async () => {
    class Declined extends RangeError {
      status = 402;
    }
    const given = new Declined("m", { cause: { deep: [1] } });
    const found: unknown[] = [];
    const look = (v: unknown): void => {
      const error = v as Declined;
      found.push([error.constructor, error.status, error.cause]);
    };
    const saver = storage();
    const looking = ({ v }: { v?: unknown }): object => {
      look(v);
      return {};
    };
    const builder = chain({ fail: () => ({ v: given }), first: looking, second: looking });
    const result = await builder.compile({ checkpointer: saver() }).invoke({}, thread);
    look(result.v);
    look((await builder.compile({ checkpointer: saver() }).getState(thread)).values.v);
    expect(found).toEqual(Array.from({ length: 4 }, () => [RangeError, 402, { deep: [1] }]));
    given.status = 500;
    expect(result.v).toMatchObject({ status: 402 });
  });

  it("an error is stored without what cannot be", async () => {
    const make = () => Object.assign(new Error("m"), { headers: new Headers(), retry: () => 1, status: 503 });
    const { read } = await store(storage(), make, undefined);
    expect(
      difference(Object.assign(new Error("m"), { status: 503 }), (read as { in: unknown[] }).in[0]),
    ).toBe(undefined);
  });

  it.each<[string, (error: Error) => unknown]>([
    ["its message", (error) => (error.message = "another")],
    ["a part of it", (error) => (error.cause as { deep: number[] }).deep.push(2)],
  ])("a node cannot change %s in an error, nor in one that was read", async (_what, change) => {
    const saver = storage();
    const builder = chain({
      fail: ({ v }) => (v === undefined ? { v: new Error("m", { cause: { deep: [1] } }) } : {}),
      change: ({ v }) => void change(v as Error),
    });
    for (let times = 0; times < 2; times++) {
      const run = builder.compile({ checkpointer: saver() }).invoke({}, thread);
      await expect(run).rejects.toMatchObject({ code: "state_mutated" });
    }
  });

  it("each node has bytes of its own also in an error", async () => {
    const found: unknown[] = [];
    const take = ({ v }: { readonly v: unknown }): undefined => {
      const bytes = (v as Error).cause as Uint8Array;
      found.push(bytes[0]);
      bytes.fill(9);
    };
    const fail = () => ({ v: new Error("m", { cause: new Uint8Array([1]) }) });
    const graph = chain({ fail, first: take, second: take }).compile({ checkpointer: storage()() });
    take(await graph.invoke({}, thread));
    take((await graph.getState(thread)).values);
    expect(found).toEqual([1, 1, 1, 1]);
  });
});
