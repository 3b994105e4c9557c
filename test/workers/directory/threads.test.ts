import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contains } from "../../../src/values/contains.ts";
import type { DirectoryApi, SortKey, ThreadEntry, ThreadFilter } from "../../../src/directory/protocol.ts";
import { type CallShard, TenantDirectory } from "../../../src/directory/tenant-directory.ts";
import { threadEntry } from "../../support/thread-entry.ts";

interface Objects {
  readonly object: DirectoryApi;
  /** In all of them. */
  readonly rowsOf: (table: string) => Promise<number>;
}

function directory(count = 1): Objects {
  const stubs = Array.from({ length: count }, () => env.DIRECTORY.getByName(crypto.randomUUID()));
  const shards = stubs.map(
    (stub): CallShard =>
      (call) =>
        call(stub as unknown as DirectoryApi),
  );
  const [only] = stubs;
  return {
    object: count === 1 ? (only as unknown as DirectoryApi) : new TenantDirectory(shards),
    rowsOf: async (table) => {
      const counts = stubs.map((stub) =>
        runInDurableObject(
          stub,
          (_, { storage }) => storage.sql.exec(`SELECT * FROM ${table}`).toArray().length,
        ),
      );
      return (await Promise.all(counts)).reduce((sum, n) => sum + n, 0);
    },
  };
}

const BY_ID = { by: "thread_id", descending: false } as const;

async function found(object: DirectoryApi, filter: ThreadFilter): Promise<string[]> {
  return (await object.findThreads(filter, BY_ID, 100)).map(({ threadId }) => threadId);
}

describe.for([1, 3])("a directory of %i", (count) => {
  it("that knows nothing answers, and stores nothing", async () => {
    const { object, rowsOf } = directory(count);
    await object.removeThread("a");
    expect(await found(object, {})).toEqual([]);
    expect(await object.countThreads({})).toBe(0);
    expect(await object.getQuestions({ limit: 10 })).toEqual([]);
    expect(await rowsOf("sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")).toBe(0);
  });

  it("keeps the newest entry, in whatever order they come", async () => {
    const { object } = directory(count);
    await object.putThread(threadEntry("a", { version: 2, metadata: { owner: "ann" } }));
    await object.putThread(threadEntry("a", { version: 1, metadata: { owner: "bob" } }));
    await object.putThread(threadEntry("a", { version: 2, metadata: { owner: "carl" } }));
    expect(await object.getThreads(["a", "b"])).toMatchObject([{ metadata: { owner: "ann" } }]);
    expect(await found(object, { metadata: { owner: "bob" } })).toEqual([]);
    expect(await found(object, { metadata: { owner: "ann" } })).toEqual(["a"]);
    await object.putThread(threadEntry("a", { version: 3, status: "busy" }));
    expect(await found(object, { metadata: { owner: "ann" } })).toEqual([]);
    expect(await found(object, { status: "busy" })).toEqual(["a"]);
  });

  it("forgets removed threads, their keys and their questions", async () => {
    const { object, rowsOf } = directory(count);
    const questions = [{ interruptId: "q", value: "Name?", askedAt: 1 }];
    const ids = Array.from({ length: 12 }, (_, index) => `thread ${index}`);
    for (const id of ids) await object.putThread(threadEntry(id, { metadata: { tags: ["x"] }, questions }));
    expect(await rowsOf("questions")).toBe(ids.length);
    for (const id of ids) await object.removeThread(id);
    for (const table of ["threads", "thread_keys", "questions"]) expect(await rowsOf(table)).toBe(0);
  });

  it("has for a caller the questions of threads that contain what the caller may know of, and no others", async () => {
    const { object } = directory(count);
    const put = (id: string, metadata: ThreadEntry["metadata"]): Promise<boolean> =>
      object.putThread(
        threadEntry(id, { metadata, questions: [{ interruptId: "q", value: id, askedAt: 1 }] }),
      );
    const members = [
      { id: "x", role: "viewer" },
      { id: "y", role: "owner" },
    ];
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key ${index}`, index]));
    for (const id of ["a", "b", "c"]) await put(`seems ${id}`, { members });
    await put("fits", { members: [...members, { id: "x", role: "owner" }] });
    await put("many", many);
    await put("not all", { ...many, "key 59": 0 });
    const asked = async (access: ThreadEntry["metadata"]) =>
      (await object.getQuestions({ limit: 1, access })).map(({ threadId }) => threadId);
    expect(await asked({ members: [{ id: "x", role: "owner" }] })).toEqual(["fits"]);
    expect(await asked(many)).toEqual(["many"]);
  });

  it("erases threads that were not tried yet before those that could not be erased", async () => {
    const { object } = directory(count);
    const ids = Array.from({ length: 6 }, (_, index) => `thread ${index}`);
    for (const [index, id] of ids.entries()) await object.putThread(threadEntry(id, { createdAt: index }));
    const tried = new Set<string>();
    // As often as one object needs that has them all.
    for (let times = 0; times < 2 * count; times += 1) {
      for (const id of await object.beginErasure(3)) tried.add(id);
    }
    expect(tried).toEqual(new Set(ids));
    expect((await object.beginErasure(6)).length).toBeGreaterThan(0);
    expect(await object.threadsLeft()).toBe(6);
  });

  it("keeps long paths and values as their hashes, and finds by them", async () => {
    const { object, rowsOf } = directory(count);
    const key = "k".repeat(8000);
    await object.putThread(
      threadEntry("a", { metadata: { [key]: Array.from({ length: 50 }, (_, n) => n) } }),
    );
    for (let n = 0; n < 12; n++)
      await object.putThread(threadEntry(`b${n}`, { metadata: { [`${key}x`]: [7] } }));
    expect(await found(object, { metadata: { [key]: [7, 49] } })).toEqual(["a"]);
    expect(await found(object, { metadata: { [key]: [50] } })).toEqual([]);
    expect(await rowsOf("thread_keys WHERE length(path) + length(value) > 500")).toBe(0);
  });

  it("lists questions of all threads in the order in which they were asked, page by page", async () => {
    const { object } = directory(count);
    const ask = (interruptId: string, askedAt: number) => ({
      interruptId,
      value: `${interruptId}?`,
      askedAt,
    });
    await object.putThread(threadEntry("a", { questions: [ask("1", 5), ask("2", 5)] }));
    await object.putThread(threadEntry("b", { questions: [ask("1", 3), ask("3", 5)] }));
    await object.putThread(threadEntry("c", { version: 1, questions: [ask("4", 4)] }));
    await object.putThread(threadEntry("c", { version: 2, questions: [] }));
    const first = await object.getQuestions({ limit: 2 });
    expect(first.map(({ threadId, interruptId }) => threadId + interruptId)).toEqual(["b1", "a1"]);
    const rest = await object.getQuestions({
      limit: 9,
      after: { threadId: "a", interruptId: "1", askedAt: 5 },
    });
    expect(rest.map(({ threadId, interruptId, value }) => [threadId + interruptId, value])).toEqual([
      ["a2", "2?"],
      ["b3", "3?"],
    ]);
  });
});

const scalar = fc.oneof(fc.constantFrom("x", "y", 1, 2, true, null), fc.constant("long ".repeat(50)));

/** Objects as they come out of JSON text: with any key. */
function objects(
  keys: readonly string[],
  member: fc.Arbitrary<unknown>,
): fc.Arbitrary<ThreadEntry["metadata"]> {
  const members = fc.array(fc.tuple(fc.constantFrom(...keys), member), { maxLength: 3 });
  return members.map((pairs) => {
    const text = pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    return JSON.parse(`{${text.join(",")}}`) as ThreadEntry["metadata"];
  });
}

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 3 }),
    objects(["a", "b", "__proto__"], tie("json")),
  ),
}));
const data = objects(["a", "b"], json);
const status = fc.constantFrom("idle", "busy");
const entries = fc.array(
  fc.record({ status, createdAt: fc.nat(5), metadata: data, extract: data }, { noNullPrototype: true }),
  {
    minLength: 1,
    maxLength: 12,
  },
);
const filters = fc.array(
  fc.record({ status, metadata: data, extract: data }, { requiredKeys: [], noNullPrototype: true }),
  {
    minLength: 5,
    maxLength: 5,
  },
);
const sortKeys = fc.constantFrom<SortKey>("thread_id", "status", "created_at");

describe.for([1, 3])("a search among %i", (shards) => {
  it("finds what going through all threads would find, in the same order", { timeout: 30_000 }, async () => {
    const property = fc.asyncProperty(
      entries,
      filters,
      sortKeys,
      fc.boolean(),
      fc.integer({ min: 1, max: 12 }),
      async (drafts, wanted, by, descending, count) => {
        const known = drafts.map((draft, index) => threadEntry(`t${index}`, draft));
        const { object } = directory(shards);
        await Promise.all(known.map((each) => object.putThread(each)));
        // What is wanted is rarely there by chance: a thread's own metadata is.
        const tried: ThreadFilter[] = [
          ...wanted,
          ...known.map(({ metadata, extract }) => ({ metadata, extract })),
        ];
        for (const filter of tried) {
          const expected = known
            .filter((each) => isWanted(each, filter))
            .toSorted((a, b) => compare(a, b, by));
          if (descending) expected.reverse();
          const places = await object.findThreads(filter, { by, descending }, count);
          expect(places.map(({ threadId }) => threadId)).toEqual(
            expected.slice(0, count).map(({ threadId }) => threadId),
          );
          expect(await object.countThreads(filter)).toBe(expected.length);
        }
      },
    );
    await fc.assert(property, { numRuns: 15 });
  });
});

function isWanted(each: ThreadEntry, { status: wanted, metadata = {}, extract = {} }: ThreadFilter): boolean {
  return (
    (wanted === undefined || wanted === each.status) &&
    contains(each.metadata, metadata) &&
    contains(each.extract, extract)
  );
}

function compare(a: ThreadEntry, b: ThreadEntry, by: SortKey): number {
  const [left, right] = [a, b].map((each) =>
    by === "created_at" ? String(each.createdAt) : by === "status" ? each.status : "",
  );
  const [first, second] = [`${left} ${a.threadId}`, `${right} ${b.threadId}`];
  return first < second ? -1 : 1;
}

describe("threads of several objects", () => {
  /** Stands in for an object that knows these threads, and notes how many it is asked for. */
  function shardOf(keys: readonly number[], asked: number[]): CallShard {
    const shard = {
      findThreads: async (_: ThreadFilter, __: unknown, count: number) => {
        asked.push(count);
        return keys
          .toSorted((a, b) => a - b)
          .slice(0, count)
          .map((key) => ({ threadId: `t${key}`, key }));
      },
    };
    return (call) => call(shard as unknown as DirectoryApi);
  }

  const BY_TIME = { by: "created_at", descending: false } as const;
  const all = Array.from({ length: 1000 }, (_, index) => index);

  it.for([
    ["spread evenly", (key: number, shard: number) => key % 4 === shard, 4],
    ["all in one", (_: number, shard: number) => shard === 2, 8],
    [
      "in one the first, in others the rest",
      (key: number, shard: number) => Math.floor(key / 250) === shard,
      8,
    ],
  ] as const)("are found in their order: %s", async ([, isIn, calls]) => {
    const asked: number[] = [];
    const shards = [0, 1, 2, 3].map((shard) =>
      shardOf(
        all.filter((key) => isIn(key, shard)),
        asked,
      ),
    );
    const places = await new TenantDirectory(shards).findThreads({}, BY_TIME, 600);
    expect(places.map(({ key }) => key)).toEqual(all.slice(0, 600));
    expect(asked).toHaveLength(calls);
    expect(asked[0]).toBe(150 + Math.ceil(4 * Math.sqrt(600)));
  });
});
