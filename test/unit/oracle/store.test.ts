import * as theirCheckpoint from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import * as ourCheckpoint from "tidemark/checkpoint";

/** What a test needs of either store, as loosely as the two have it in common. */
interface Store {
  batch(operations: readonly object[]): Promise<readonly unknown[]>;
  get(namespace: readonly string[], key: string): Promise<unknown>;
  search(prefix: readonly string[], options?: object): Promise<readonly { key: string; score?: number }[]>;
  put(namespace: readonly string[], key: string, value: object, index?: false | string[]): Promise<void>;
  delete(namespace: readonly string[], key: string): Promise<void>;
  listNamespaces(options?: object): Promise<string[][]>;
}

interface Library {
  readonly InMemoryStore: new (options?: object) => Store;
  readonly getTextAtPath: (value: unknown, path: string) => string[];
  readonly tokenizePath: (path: string) => string[];
}

const ours = ourCheckpoint as unknown as Library;
const theirs = theirCheckpoint as unknown as Library;

async function both(
  act: (store: Store, library: Library) => Promise<unknown>,
  options?: object,
): Promise<void> {
  const [our, their] = await Promise.all(
    [ours, theirs].map((library) => act(new library.InMemoryStore(options), library).catch(nameOf)),
  );
  expect(our).toEqual(their);
}

function nameOf(error: unknown): unknown {
  return error instanceof Error ? error.name : error;
}

async function fill(store: Store): Promise<void> {
  await store.put(["a", "b"], "k1", { n: 1, t: { x: "y" }, arr: [1, 2] });
  await store.put(["a", "b"], "k2", { n: 2 });
  await store.put(["a", "c"], "k3", { n: 3, s: "str" });
  await store.put(["ab"], "k4", { n: 4 });
  await store.put(["a"], "k5", { n: 5 });
  await store.put(["u", "v", "w"], "k", { z: null });
  await store.put(["a", "b"], "k1", { n: 1, t: { x: "y" }, arr: [1, 2], again: true });
}

const keys = (items: readonly { key: string; score?: number }[]) =>
  items.map(({ key, score }) => [key, score === undefined ? undefined : score.toFixed(9)]);

describe("as in LangGraph", () => {
  it.each([
    { n: 1 },
    { n: { $eq: 1 } },
    { n: { $ne: 1 } },
    { n: { $gt: 2 } },
    { n: { $gte: 2 } },
    { n: { $lt: 2 } },
    { n: { $lte: 2 } },
    { n: { $gt: 1, $lt: 3 } },
    { n: { $gt: "1" } },
    { s: { $gt: "a" } },
    { n: { $in: [1, 3] } },
    { n: { $nin: [1, 3] } },
    { "t.x": "y" },
    { zz: { $ne: 1 } },
    { z: null },
    { n: {} },
    {},
  ])("the filter %j", async (filter) => {
    await both(async (store) => {
      await fill(store);
      return keys(await store.search([], { filter }));
    });
  });

  it.each([{}, { limit: 2 }, { limit: 2, offset: 1 }, { limit: 0 }, { offset: 9 }])(
    "the page %j",
    async (page) => {
      await both(async (store) => {
        await fill(store);
        return [keys(await store.search([], page)), keys(await store.search(["a"], page))];
      });
    },
  );

  it.each([
    {},
    { prefix: ["a"] },
    { suffix: ["b"] },
    { prefix: ["*", "b"] },
    { prefix: ["a", "*"] },
    { suffix: ["*"] },
    { suffix: ["v", "*"] },
    { prefix: ["a"], suffix: ["c"] },
    { prefix: ["x", "y", "z", "q"] },
    { maxDepth: 1 },
    { maxDepth: 2 },
    { limit: 2 },
    { limit: 2, offset: 1 },
  ])("the namespaces of %j", async (options) => {
    await both(async (store) => {
      await fill(store);
      return store.listNamespaces(options);
    });
  });

  it.each([
    [[]],
    [["a", ""]],
    [["a.b"]],
    [["a:b"]],
    [["a\0"]],
    [["langgraph"]],
    [["langgraph", "x"]],
    [["x", "langgraph"]],
    [[1]],
    [[" "]],
  ])("the namespace %j", async (namespace) => {
    const path = namespace as string[];
    await both(async (store) => {
      const tried = [
        () => store.put(path, "k", { a: 1 }),
        async () => (await store.get(path, "k")) === null,
        async () => (await store.search(path)).length,
        () => store.delete(path, "k"),
      ];
      const results = [];
      for (const act of tried) results.push(await act().catch(nameOf));
      return results;
    });
  });

  it("a batch reads what was there before it, and the last write of a key counts", async () => {
    await both(async (store) => {
      await fill(store);
      const namespace = ["q"];
      const results = await store.batch([
        { namespace, key: "1", value: { a: 1 } },
        { namespace, key: "1" },
        { namespacePrefix: namespace },
        { namespace, key: "2", value: { a: 2 } },
        { namespace, key: "1", value: null },
        { namespace: ["a", "b"], key: "k2" },
        { matchConditions: [{ matchType: "prefix", path: ["a"] }], maxDepth: 1, limit: 10, offset: 0 },
      ]);
      const shown = results.map((result) => (isItem(result) ? result.value : (result ?? null)));
      return [shown, await store.get(namespace, "1"), keys(await store.search(namespace))];
    });
  });

  it("items know when they were made and changed", async () => {
    await both(async (store) => {
      await store.put(["d"], "k", { a: 1 });
      const first = (await store.get(["d"], "k")) as ourCheckpoint.Item;
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
      await store.put(["d"], "k", { a: 2 });
      const second = (await store.get(["d"], "k")) as ourCheckpoint.Item;
      const isKept = first.createdAt.getTime() === second.createdAt.getTime();
      return [Object.keys(second).toSorted(), isKept, second.updatedAt > second.createdAt, second.value];
    });
  });
});

function isItem(result: unknown): result is ourCheckpoint.Item {
  return typeof result === "object" && result !== null && "value" in result;
}

describe("a search by meaning, as in LangGraph", () => {
  const vector = (text: string): number[] => [text.length, (text.match(/a/g) ?? []).length, 1];
  const embeddings = {
    embedDocuments: async (texts: string[]) => texts.map(vector),
    embedQuery: async (text: string) => vector(text),
  };
  const search = async (store: Store) => [
    keys(await store.search(["n"], { query: "aaa" })),
    keys(await store.search(["n"], { query: "aaa", limit: 2, offset: 1 })),
    keys(await store.search(["n"], { query: "aaa", filter: { text: "bbbb" } })),
    keys(await store.search(["n"])),
  ];

  it("of whole values", async () => {
    await both(
      async (store) => {
        await store.put(["n"], "1", { text: "aaaa" });
        await store.put(["n"], "2", { text: "bbbb" });
        await store.put(["n"], "3", { text: "aabb", other: { x: ["a", "b"] } });
        await store.put(["n"], "4", { text: "zzz" }, false);
        await store.put(["n"], "5", { text: "bbbbb", title: "aa" }, ["title"]);
        const before = await search(store);
        await store.put(["n"], "1", { text: "changed" });
        await store.delete(["n"], "5");
        return [before, await search(store)];
      },
      { index: { dims: 3, embeddings } },
    );
  });

  it("of some fields", async () => {
    await both(
      async (store) => {
        await store.put(["n"], "1", { text: "b", arr: [{ t: "aaa" }, { t: "b" }], o: { x: "bb" } });
        await store.put(["n"], "2", { text: "bb" });
        await store.put(["n"], "3", { none: 1 });
        return search(store);
      },
      { index: { dims: 3, embeddings, fields: ["text", "arr[*].t", "o.x"] } },
    );
  });
});

describe("texts at a path, as in LangGraph", () => {
  const value = {
    a: "text",
    n: 5,
    b: false,
    o: { x: "ox", y: { z: "oyz" } },
    list: ["l0", "l1", { t: "l2" }],
    none: null,
  };
  it.each(["a", "o.x", "o.y.z", "list[0]", "none", "missing", "o.missing", "list[9]", "a.b"])(
    "%j",
    (path) => {
      expect(ours.getTextAtPath(value, path)).toEqual(theirs.getTextAtPath(value, path));
    },
  );
});
