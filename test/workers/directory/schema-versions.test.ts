import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import { directoryMigrations } from "../../../src/directory/migrations.ts";
import type { DirectoryApi, StoredItem, ThreadEntry } from "../../../src/directory/protocol.ts";
import { migrate } from "../../../src/storage/migrations.ts";
import { Tables } from "../../../src/storage/tables.ts";

type Kept = string | number | null | { readonly base64: string };
type Rows = Readonly<Record<string, readonly Readonly<Record<string, Kept>>[]>>;

const kept = import.meta.glob<Rows>("../../fixtures/directories/*.json", { eager: true, import: "default" });
const versions = Object.keys(kept).map((file) => Number(/schema-(\d+)/.exec(file)?.[1]));
const serde = new MsgpackSerializer();
const VIEW = { graphs: ["graph"] };
const ASSISTANT = "00000000-0000-4000-8000-000000000001";

/** The first version with a table. */
const ASSISTANTS = 2;
const STORE = 3;
const ERASURES = 4;
const VECTORS = 5;

/** Writes the tables as the code of that time has left them. */
async function restored(version: number): Promise<DirectoryApi> {
  const stub = env.DIRECTORY.get(env.DIRECTORY.newUniqueId());
  await runInDurableObject(stub, (_, { storage }) => {
    migrate(
      storage,
      directoryMigrations.filter((migration) => migration.version <= version),
    );
    const tables = new Tables(storage.sql);
    for (const [table, rows] of Object.entries(
      kept[`../../fixtures/directories/schema-${version}.json`] ?? {},
    )) {
      tables.insert(
        table,
        rows.map((row) => Object.fromEntries(Object.entries(row).map(cellOf))),
      );
    }
  });
  await evictDurableObject(stub);
  return stub as unknown as DirectoryApi;
}

function cellOf([column, value]: [string, Kept]): [string, string | number | null | Uint8Array] {
  const isBytes = typeof value === "object" && value !== null;
  return [column, isBytes ? Uint8Array.from(atob(value.base64), (char) => char.charCodeAt(0)) : value];
}

it("there is a directory of each version of the tables", () => {
  expect(versions.toSorted((a, b) => a - b)).toEqual(directoryMigrations.map(({ version }) => version));
});

it("a directory with newer tables than the code knows is refused, and stays as it is", async () => {
  const newest = Math.max(...versions);
  const stub = (await restored(newest)) as unknown as DurableObjectStub;
  const rows = () =>
    runInDurableObject(stub, (_, { storage }) =>
      ["schema_migrations", "threads", "thread_keys"].map((table) =>
        storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
      ),
    );
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("INSERT INTO schema_migrations (version, name) VALUES (?, 'later')", newest + 1);
  });
  await evictDurableObject(stub);
  const before = await rows();
  await runInDurableObject(stub, async (object) => {
    const refusing = object as unknown as DirectoryApi;
    const tooNew = {
      code: "schema_too_new",
      details: { database_version: newest + 1, code_version: newest },
    };
    await expect(refusing.countThreads({})).rejects.toMatchObject(tooNew);
    await expect(refusing.removeThread("idle")).rejects.toMatchObject(tooNew);
    await expect(refusing.useStore([], [])).rejects.toMatchObject(tooNew);
  });
  expect(await rows()).toEqual(before);
});

describe.each(versions)("a directory with tables of version %i (MIG-01)", (version) => {
  let directory: DirectoryApi;
  beforeEach(async () => {
    directory = await restored(version);
  });

  const found = async (filter: Parameters<DirectoryApi["findThreads"]>[0]): Promise<string[]> => {
    const places = await directory.findThreads(filter, { by: "thread_id", descending: false }, 10);
    return places.map(({ threadId }) => threadId);
  };

  it("finds its threads, and takes what they say next", async () => {
    expect(await found({})).toEqual(["a leaving", "asking", "busy", "idle"]);
    expect(await found({ metadata: { owner: "ada", tags: ["b"] } })).toEqual(["idle"]);
    expect(await found({ extract: { order: { id: 7 } }, status: "interrupted" })).toEqual(["asking"]);
    const question = { threadId: "asking", interruptId: "question", value: { ask: "sure?" }, askedAt: 1500 };
    expect(await directory.getQuestions({ limit: 10 })).toEqual([question]);
    const [asking] = await directory.getThreads(["asking"]);
    const entry: ThreadEntry = {
      threadId: "asking",
      version: 3,
      status: "interrupted",
      createdAt: 1000,
      updatedAt: 2000,
      stateUpdatedAt: 1500,
      metadata: { owner: "ada" },
      extract: { order: { id: 7 } },
      questions: [{ interruptId: "question", value: { ask: "sure?" }, askedAt: 1500 }],
    };
    expect(asking).toEqual(entry);
    await directory.putThread({ ...entry, version: 2, status: "error" });
    await directory.putThread({
      ...entry,
      version: 4,
      status: "idle",
      metadata: { owner: "eve" },
      questions: [],
    });
    expect(await found({ metadata: { owner: "ada" } })).toEqual(["idle"]);
    expect(await found({ metadata: { owner: "eve" }, status: "idle" })).toEqual(["asking"]);
    expect(await directory.getQuestions({ limit: 10 })).toEqual([]);
  });

  it("knows its assistants, and takes others", async () => {
    const names = async (): Promise<string[]> =>
      (
        await directory.searchAssistants(
          { metadata: { team: "red" } },
          { by: "name", descending: false },
          VIEW,
        )
      ).map(({ name, version: latest }) => `${name} ${latest}`);
    const old = version >= ASSISTANTS ? ["second 2"] : [];
    expect(await names()).toEqual(old);
    if (version >= ASSISTANTS) await directory.setLatestAssistant(ASSISTANT, 1, VIEW);
    const rest = { config: {}, context: {}, metadata: { team: "red" }, description: null };
    const made = { assistantId: crypto.randomUUID(), graphId: "graph", name: "third", ...rest };
    expect(await directory.createAssistant({ ...made, ifExists: "raise" }, VIEW)).toMatchObject({ ok: true });
    expect(await names()).toEqual([...old.map(() => "first 1"), "third 1"]);
  });

  it("remembers what graphs have put into the store, and more", async () => {
    const [type, data] = serde.dumpsTyped({ food: "pears" });
    const put = {
      namespace: ["users", "cy"],
      key: "likes",
      value: { type, data },
      ttl: 60_000,
      vectors: [[1, 0]],
    };
    expect(await directory.useStore([], [put])).toMatchObject({ ok: true });
    const foods = async (vector?: readonly number[]): Promise<unknown[]> => {
      const search = { kind: "search", namespacePrefix: ["users"], limit: 10, offset: 0, vector } as const;
      const outcome = await directory.useStore([search], []);
      if (!outcome.ok) throw new Error(outcome.error.message);
      const [items] = outcome.value as [StoredItem[]];
      return items.map(({ value }) => (serde.loadsTyped(value.type, value.data) as { food: string }).food);
    };
    const old = version >= STORE ? ["plums", "figs"] : [];
    expect(await foods()).toEqual([...old, "pears"]);
    expect((await foods([0, 1]))[0]).toBe(version >= VECTORS ? "figs" : "pears");
  });

  it("goes on erasing", async () => {
    await directory.removeThread("a leaving");
    const leaving = version >= ERASURES ? ["a leaving"] : [];
    expect(await directory.threadsLeft()).toBe(3 + leaving.length);
    const going = await directory.beginErasure(4);
    expect(going.toSorted()).toEqual([...leaving, "asking", "busy", "idle"]);
    for (const threadId of going) await directory.endErasure(threadId);
    expect(await directory.erase()).toBe(0);
    expect(await found({})).toEqual([]);
  });
});
