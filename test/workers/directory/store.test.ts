import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import type { BaseStore, Item } from "../../../src/checkpoint/store/base-store.ts";
import { InMemoryStore } from "../../../src/checkpoint/store/in-memory-store.ts";
import { DirectoryStore } from "../../../src/directory/directory-store.ts";
import type { DirectoryApi } from "../../../src/directory/protocol.ts";
import { type CallShard, TenantDirectory } from "../../../src/directory/tenant-directory.ts";

function directoryStore(count = 3): BaseStore {
  const shards = Array.from({ length: count }, (): CallShard => {
    const stub = env.DIRECTORY.getByName(crypto.randomUUID());
    return (call) => call(stub as unknown as DirectoryApi);
  });
  return new DirectoryStore(new TenantDirectory(shards), new MsgpackSerializer());
}

const label = fc.constantFrom("a", "b", "c");
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const key = fc.constantFrom("k", "l");
const value = fc.record({ n: fc.nat(3) }, { noNullPrototype: true });
const step = fc.oneof(
  fc.record({ kind: fc.constant("put" as const), namespace, key, value }),
  fc.record({ kind: fc.constant("delete" as const), namespace, key }),
  fc.record({ kind: fc.constant("get" as const), namespace, key }),
  fc.record({
    kind: fc.constant("search" as const),
    prefix: fc.array(label, { maxLength: 2 }),
    n: fc.nat(3),
  }),
  fc.record({ kind: fc.constant("namespaces" as const), depth: fc.integer({ min: 1, max: 3 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The order of a search is each store's own. */
function shown(items: readonly Item[]): string[] {
  return items
    .map((item) => JSON.stringify([item.namespace, item.key, item.value]))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

async function taken(store: BaseStore, each: Step): Promise<unknown> {
  switch (each.kind) {
    case "put":
      return store.put(each.namespace, each.key, each.value);
    case "delete":
      return store.delete(each.namespace, each.key);
    case "get":
      return (await store.get(each.namespace, each.key))?.value;
    case "search":
      return [
        shown(await store.search(each.prefix, { limit: 100 })),
        shown(await store.search(each.prefix, { limit: 100, filter: { n: { $lte: each.n } } })),
      ];
    case "namespaces":
      return store.listNamespaces({ maxDepth: each.depth });
  }
}

describe("the store of the directory", () => {
  it("keeps what the one in memory keeps", { timeout: 30_000 }, async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const [kept, memory] = [directoryStore(), new InMemoryStore()];
      for (const each of steps) expect(await taken(kept, each)).toEqual(await taken(memory, each));
    });
    await fc.assert(property, { numRuns: 15 });
  });

  it("gives pages in one order, across objects and within one", async () => {
    const store = directoryStore();
    const names = ["a", "b", "c", "d"].flatMap((first) => [[first], [first, "x"]]);
    for (const name of names.toReversed()) await store.put(name, "k", { name });
    const page = async (prefix: string[], offset: number) =>
      (await store.search(prefix, { limit: 3, offset })).map((item) => item.namespace);
    expect([...(await page([], 0)), ...(await page([], 3)), ...(await page([], 6))]).toEqual(names);
    expect(await page(["b"], 0)).toEqual([["b"], ["b", "x"]]);
    expect(await page(["b"], 1)).toEqual([["b", "x"]]);
    expect(await page(["bx"], 0)).toEqual([]);
  });

  it("keeps for centuries what is to live so long, which is later than any alarm", async () => {
    const store = directoryStore();
    const minutes = 500 * 365 * 24 * 60;
    await store.put(["a"], "k", { n: 1 }, false, minutes);
    expect((await store.get(["a"], "k"))?.value).toEqual({ n: 1 });
  });

  it("keeps what state can hold, and refuses what does not fit into a row", async () => {
    const store = directoryStore(1);
    const rich = { at: new Date(5), big: 10n ** 30n, set: new Set([1]), bytes: new Uint8Array([1]) };
    await store.put(["a"], "k", rich);
    expect((await store.get(["a"], "k"))?.value).toEqual(rich);
    const large = store.put(["a"], "k", { text: "x".repeat(1_000_001) });
    await expect(large).rejects.toMatchObject({ code: "value_too_large" });
    expect((await store.get(["a"], "k"))?.value).toEqual(rich);
    await expect(store.search(["a"], { filter: { at: { $near: 1 } } })).rejects.toMatchObject({
      code: "invalid_filter",
    });
  });
});
