import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { json } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";
import { server } from "./auth/server.ts";

/** What a text is about, in three directions. */
const WORDS = [
  ["tea", "coffee"],
  ["train", "bus"],
  ["rain", "sun"],
] as const;

const embedded: string[][] = [];
const embedding = { fails: false };

async function embed(texts: readonly string[]): Promise<number[][]> {
  if (embedding.fails) throw new Error("The model is gone.");
  embedded.push([...texts]);
  return texts.map((text) => WORDS.map((words) => words.filter((word) => text.includes(word)).length));
}

const plain = new StateGraph(Log)
  .addNode("a", () => ({}))
  .addEdge(START, "a")
  .addEdge("a", END)
  .compile();

/** A server for a tenant of its own. */
function tenant(
  store: Parameters<typeof server>[0]["store"] | null = { embed, dims: 3, fields: ["text", "notes[*].text"] },
) {
  const name = crypto.randomUUID();
  const auth = () => ({ tenant: name, caller: "ann", scopes: ["*"] });
  const call = server({ auth, ...(store && { store }) }, {}, { plain });
  return {
    name,
    put: async (key: string, value: object, rest: object = {}) =>
      json(call("/store/items", { method: "PUT", body: { namespace: ["n", name], key, value, ...rest } })),
    get: (key: string, query = "") => json(call(`/store/items?namespace=n.${name}&key=${key}${query}`)),
    search: async (body: object = {}) =>
      (
        (await json(call("/store/items/search", { body: { namespace_prefix: [], ...body } }))) as {
          items: { key: string; score?: number; value: object }[];
        }
      ).items,
  };
}

beforeAll(() => {
  deploy({ plain });
  announcing.isOn = false;
});

describe("searching the store by meaning", () => {
  it("puts the nearest first, of all namespaces, and those of which nothing is indexed at the end", async () => {
    const { put, search } = tenant();
    await put("trip", { text: "by train in the rain" });
    await put("drink", { text: "tea", notes: [{ text: "and coffee" }] });
    await put("silent", { text: "tea" }, { index: false });
    await put("elsewhere", { text: "bus", subject: "sun" }, { index: ["subject"], namespace: ["other"] });
    const found = await search({ query: "coffee" });
    expect(found.map(({ key, score }) => [key, score])).toEqual([
      ["drink", 1],
      ["trip", 0],
      ["elsewhere", 0],
      ["silent", undefined],
    ]);
    expect((await search({ query: "rain", limit: 1, offset: 1 })).map(({ key }) => key)).toEqual(["trip"]);
    expect((await search({ query: "sun", filter: { subject: "sun" } })).map(({ key }) => key)).toEqual([
      "elsewhere",
    ]);
    await put("drink", { text: "bus" });
    expect((await search({ query: "tea" })).every(({ score = 0 }) => score === 0)).toBe(true);
    expect((await search()).every(({ score }) => score === undefined)).toBe(true);
  });

  it("looks at as many as there are", async () => {
    const { put, search } = tenant();
    for (let index = 0; index < 12; index++) await put(`many-${index}`, { text: "tea train" });
    await put("zzz", { text: "tea" });
    expect((await search({ query: "tea", limit: 1 }))[0]).toMatchObject({ key: "zzz", score: 1 });
  });

  it("asks the model once for all that is written together, and writes nothing when it fails", async () => {
    const { put, get } = tenant();
    embedding.fails = true;
    await expect(put("k", { text: "tea" })).rejects.toMatchObject({
      status: 503,
      code: "embedding_unavailable",
    });
    embedding.fails = false;
    expect(await get("k")).toBeNull();
    embedded.length = 0;
    await put("k", { text: "tea", notes: [{ text: "sun" }, { text: "" }] });
    expect(embedded).toEqual([["tea", "sun"]]);
  });

  it.for([
    undefined,
    null,
    "x",
    {},
    [null],
    ["abc"],
    [[1, 2, NaN]],
    [[1, "2", 3]],
    [[1, 2, null]],
    [[1, 2, Infinity]],
  ])("refuses %j in the place of vectors as a fault, and writes nothing", async (vectors) => {
    const { put, get, search } = tenant({ embed: async () => vectors as never, dims: 3 });
    const fault = { status: 500, code: "invalid_embedding" };
    await expect(put("k", { text: "tea" })).rejects.toMatchObject(fault);
    await expect(search({ query: "tea" })).rejects.toMatchObject(fault);
    expect(await get("k")).toBeNull();
  });

  it("takes vectors of numbers in whatever form", async () => {
    const { put, search } = tenant({
      embed: async (texts) => texts.map(() => new Float32Array([1, 0, 0])) as never,
      dims: 3,
    });
    await put("k", { text: "tea" });
    expect(await search({ query: "tea" })).toMatchObject([{ key: "k", score: 1 }]);
  });

  it("does not wait for ever for a model that throws at once, or does not answer", async () => {
    const unavailable = { status: 503, code: "embedding_unavailable" };
    const throwing = (): never => {
      throw new Error("no model is bound");
    };
    await expect(tenant({ embed: throwing, dims: 3 }).put("k", { text: "tea" })).rejects.toMatchObject(
      unavailable,
    );
    vi.spyOn(scheduler, "wait").mockImplementation(async () => undefined);
    const hanging = tenant({ embed: () => new Promise(() => undefined), dims: 3 });
    await expect(hanging.put("k", { text: "tea" })).rejects.toMatchObject(unavailable);
    vi.restoreAllMocks();
    expect(await hanging.get("k")).toBeNull();
  });

  it("refuses vectors of another length as a fault", async () => {
    const { put } = tenant({ embed, dims: 4 });
    await expect(put("k", { text: "tea" })).rejects.toMatchObject({ status: 500, code: "invalid_embedding" });
  });

  it("changes nothing where no embedding is configured", async () => {
    const { put, search } = tenant(null);
    await put("b", { text: "tea" });
    await put("a", { text: "sun" });
    expect((await search({ query: "tea" })).map(({ key }) => key)).toEqual(["a", "b"]);
  });
});

describe("items of the store that do not live for good", () => {
  type Row = { readonly key: string; readonly expires_at: number | null };

  /** The rows of a tenant's items, after this was done in their objects. */
  async function rows(name: string, statement = "SELECT 1"): Promise<readonly Row[]> {
    const lists = [0, 1].map((index) =>
      runInDurableObject(env.DIRECTORY.getByName(JSON.stringify([name, index])), (_, { storage }) => {
        const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'items'").toArray();
        if (tables.length === 0) return [];
        storage.sql.exec(statement);
        return storage.sql.exec<Row>("SELECT key, expires_at FROM items").toArray();
      }),
    );
    return (await Promise.all(lists)).flat();
  }

  const END_OF = (key: string): string => `UPDATE items SET expires_at = 1 WHERE key = '${key}'`;

  it("are forgotten when their time is over, and their rows go", async () => {
    const { name, put, get, search } = tenant();
    await put("short", { text: "tea" }, { ttl: 1 });
    await put("long", { text: "tea" }, { ttl: 5 });
    await put("good", { text: "tea" });
    expect(await get("short")).toMatchObject({ value: { text: "tea" } });
    await rows(name, END_OF("short"));
    expect(await get("short")).toBeNull();
    expect((await search()).map(({ key }) => key)).toEqual(["good", "long"]);
    const ran = [0, 1].map((index) =>
      runDurableObjectAlarm(env.DIRECTORY.getByName(JSON.stringify([name, index]))),
    );
    expect((await Promise.all(ran)).filter(Boolean)).toHaveLength(1);
    expect((await rows(name)).map(({ key }) => key)).toEqual(["good", "long"]);
  });

  it("are new when they are written after their time", async () => {
    const { name, put, get } = tenant();
    await put("k", { a: 1 }, { ttl: 1 });
    const before = (await get("k")) as { created_at: string };
    await rows(name, END_OF("k"));
    await scheduler.wait(5);
    await put("k", { a: 2 });
    const after = (await get("k")) as { created_at: string };
    expect(Date.parse(after.created_at)).toBeGreaterThan(Date.parse(before.created_at));
    expect(await rows(name)).toEqual([{ key: "k", expires_at: null }]);
  });

  it.for([
    ["are read", true],
    ["are found", true],
    ["are read, where that is not wanted", false],
    ["are found, where that is not wanted", false],
  ] as const)("live as long again when they %s: %s", async ([how, isLonger]) => {
    const { name, put, get, search } = tenant();
    await put("k", { a: 1 }, { ttl: 5 });
    const [before] = await rows(name);
    await scheduler.wait(5);
    if (how.includes("read")) await get("k", isLonger ? "" : "&refresh_ttl=false");
    else await search(isLonger ? {} : { refresh_ttl: false });
    const [after] = await rows(name);
    expect(Number(after?.expires_at) > Number(before?.expires_at)).toBe(isLonger);
  });

  it.for([0, -1, "1", 1e9])("are refused with the time %o", async (ttl) => {
    await expect(tenant().put("k", {}, { ttl })).rejects.toMatchObject({ code: "invalid_request" });
  });
});
