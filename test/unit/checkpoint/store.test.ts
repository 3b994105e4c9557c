import { describe, expect, it } from "vitest";
import {
  AsyncBatchedStore,
  BaseStore,
  getTextAtPath,
  InMemoryStore,
  type Operation,
  type OperationResults,
} from "tidemark/checkpoint";

it("what a store gives back is read-only, and not what was put in", async () => {
  const store = new InMemoryStore({ now: () => 5 });
  const value = { list: [1], at: new Date(1) };
  await store.put(["a"], "k", value);
  value.list.push(2);
  const item = await store.get(["a"], "k");
  expect(item).toEqual({
    value: { list: [1], at: new Date(1) },
    key: "k",
    namespace: ["a"],
    createdAt: new Date(5),
    updatedAt: new Date(5),
  });
  expect(() => Object.assign(item?.value ?? {}, { more: 1 })).toThrow(TypeError);
  const at = item?.value["at"];
  expect(() => at instanceof Date && at.setTime(9)).toThrow(TypeError);
  expect((await store.get(["a"], "k"))?.value["at"]).toEqual(new Date(1));
});

it("filters compare plain values by content", async () => {
  const store = new InMemoryStore();
  await store.put(["a"], "k", { t: { x: ["y"] } });
  expect(await store.search(["a"], { filter: { t: { x: ["y"] } } })).toHaveLength(1);
  expect(await store.search(["a"], { filter: { t: { $eq: { x: ["z"] } } } })).toHaveLength(0);
});

it("an operator that does not exist is refused", async () => {
  const store = new InMemoryStore();
  await store.put(["a"], "k", { n: 1 });
  await expect(store.search(["a"], { filter: { n: { $near: 1 } } })).rejects.toMatchObject({
    code: "invalid_filter",
  });
});

it("when vectors cannot be had, nothing is written", async () => {
  const fails = (): Promise<never> => Promise.reject(new Error("no embeddings"));
  const store = new InMemoryStore({
    index: { dims: 1, embeddings: { embedDocuments: fails, embedQuery: fails } },
  });
  await expect(store.put(["a"], "k", { n: 1 })).rejects.toThrow("no embeddings");
  expect(await store.get(["a"], "k")).toBeNull();
});

it("an item may be called __proto__", async () => {
  const store = new InMemoryStore();
  await store.put(["__proto__"], "__proto__", { n: 1 });
  expect((await store.get(["__proto__"], "__proto__"))?.value).toEqual({ n: 1 });
  expect(await store.get(["constructor"], "name")).toBeNull();
});

describe("texts at a path", () => {
  const value = { n: 5, o: { x: "ox", y: 1 }, list: ["l0", { t: "l1" }] };
  it.each([
    ["$", [JSON.stringify(value, null, 2)]],
    ["n", ["5"]],
    ["o", [JSON.stringify(value.o, null, 2)]],
    ["o.*", ["ox", "1"]],
    ["{n,o}.x", ["ox"]],
    ["list[-1].t", ["l1"]],
    ["list[*].t", ["l1"]],
  ])("%s", (path, texts) => expect(getTextAtPath(value, path)).toEqual(texts));
});

describe("AsyncBatchedStore", () => {
  class Counting extends BaseStore {
    readonly batches: number[] = [];
    readonly #inner = new InMemoryStore();

    override batch<const Ops extends readonly Operation[]>(operations: Ops): Promise<OperationResults<Ops>> {
      this.batches.push(operations.length);
      if (operations.some((operation) => "key" in operation && operation.key === "bad"))
        return Promise.reject(new Error("bad"));
      return this.#inner.batch(operations);
    }
  }

  it("hands what is asked in one turn on as one batch", async () => {
    const counting = new Counting();
    const store = new AsyncBatchedStore(counting);
    await store.put(["a"], "k", { n: 1 }, false);
    const [item, found, names] = await Promise.all([
      store.get(["a"], "k"),
      store.search(["a"]),
      store.listNamespaces(),
    ]);
    expect([item?.value, found.length, names]).toEqual([{ n: 1 }, 1, [["a"]]]);
    expect(counting.batches).toEqual([1, 3]);
  });

  it("passes a fault on to all who asked, and works again", async () => {
    const store = new AsyncBatchedStore(new Counting());
    const asked = await Promise.allSettled([store.get(["a"], "k"), store.get(["a"], "bad")]);
    expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await store.get(["a"], "k")).toBeNull();
  });
});
