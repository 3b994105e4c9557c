import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { migrate, schemaVersion } from "../../../src/storage/migrations.ts";
import { Tables } from "../../../src/storage/tables.ts";
import { newestTables, threadMigrations } from "../../../src/thread/migrations.ts";
import { MIGRATIONS, SaverObject } from "./durable-saver.ts";

function inNewObject<T>(work: (storage: DurableObjectStorage) => T): Promise<T> {
  const stub = env.THREAD.get(env.THREAD.newUniqueId());
  return runInDurableObject(stub, (_, { storage }) => work(storage));
}

function tables({ sql }: DurableObjectStorage): string[] {
  return sql
    .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .toArray()
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("_") && !name.startsWith("sqlite"));
}

const FIRST = { version: 1, name: "first", sql: "CREATE TABLE a (x); CREATE TABLE b (x);" };
const SECOND = {
  version: 2,
  name: "second",
  sql: "ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2);",
};
const BROKEN = { version: 3, name: "broken", sql: "CREATE TABLE c (x); INSERT INTO nowhere VALUES (1);" };

describe("migrate", () => {
  it("creates all tables of a new object", async () => {
    await inNewObject((storage) => {
      migrate(storage, MIGRATIONS);
      expect(tables(storage)).toEqual([
        "blobs",
        "checkpoints",
        "namespaces",
        "parts",
        "schema_migrations",
        "writes",
      ]);
      expect(schemaVersion(storage.sql)).toBe(MIGRATIONS.at(-1)?.version);
    });
  });

  it("applies each migration once, in the order of their versions", async () => {
    await inNewObject((storage) => {
      migrate(storage, [FIRST]);
      migrate(storage, [SECOND, FIRST]);
      migrate(storage, [FIRST, SECOND]);
      expect(storage.sql.exec("SELECT * FROM a").toArray()).toEqual([{ x: 1, y: 2 }]);
      const applied = storage.sql
        .exec("SELECT version, name FROM schema_migrations ORDER BY version")
        .toArray();
      expect(applied).toEqual([
        { version: 1, name: "first" },
        { version: 2, name: "second" },
      ]);
    });
  });

  it("writes nothing when there is nothing to do", async () => {
    const object = await SaverObject.create();
    await object.run(({ storage }) => {
      const statements: string[] = [];
      const sql = new Proxy(storage.sql, {
        get: (target, key) =>
          key === "exec"
            ? (query: string) => (statements.push(query), target.exec(query))
            : Reflect.get(target, key),
      });
      migrate(
        new Proxy(storage, { get: (target, key) => (key === "sql" ? sql : Reflect.get(target, key)) }),
        MIGRATIONS,
      );
      expect(statements.every((statement) => statement.startsWith("SELECT"))).toBe(true);
    });
  });

  it("undoes all of it when one fails", async () => {
    await inNewObject((storage) => {
      migrate(storage, [FIRST]);
      expect(() => migrate(storage, [FIRST, SECOND, BROKEN])).toThrow("nowhere");
      expect(schemaVersion(storage.sql)).toBe(1);
      expect(tables(storage)).toEqual(["a", "b", "schema_migrations"]);
      expect(storage.sql.exec("SELECT * FROM a").toArray()).toEqual([]);
    });
    await inNewObject((storage) => {
      expect(() => migrate(storage, [BROKEN])).toThrow("nowhere");
      expect(tables(storage)).toEqual([]);
    });
  });

  it("refuses tables of newer code, and names both versions", async () => {
    await inNewObject((storage) => {
      migrate(storage, [FIRST, SECOND]);
      const outdated = () => migrate(storage, [FIRST]);
      expect(outdated).toThrow(
        expect.objectContaining({
          code: "schema_too_new",
          details: { database_version: 2, code_version: 1 },
        }),
      );
      expect(outdated).toThrow(/version 2.*versions up to 1/);
      expect(schemaVersion(storage.sql)).toBe(2);
    });
  });

  it("creates nothing when only the version is asked for", async () => {
    await inNewObject((storage) => {
      expect(schemaVersion(storage.sql)).toBe(0);
      expect(tables(storage)).toEqual([]);
    });
  });
});

describe("the tables of a new thread", () => {
  /** All that SQLite knows of them, and all that is in them. */
  function contentOf(storage: DurableObjectStorage): object {
    const statement =
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT GLOB '_cf_*' ORDER BY type, name";
    const pages = new Tables(storage.sql);
    return {
      schema: storage.sql.exec(statement).toArray(),
      rows: pages.names().map((name) => [name, pages.page(name).rows]),
    };
  }

  it("are those that all migrations make; else: npm run tables", async () => {
    const migrated = await inNewObject((storage) => {
      migrate(storage, threadMigrations);
      return contentOf(storage);
    });
    const made = await inNewObject((storage) => {
      migrate(storage, threadMigrations, newestTables);
      return contentOf(storage);
    });
    expect(made).toEqual(migrated);
  });

  it("are made where there are none, and nowhere else", async () => {
    const atOnce = "CREATE TABLE both (a, b)";
    await inNewObject((storage) => {
      migrate(storage, [FIRST, SECOND], atOnce);
      expect(tables(storage)).toEqual(["both", "schema_migrations"]);
      expect(schemaVersion(storage.sql)).toBe(2);
    });
    await inNewObject((storage) => {
      migrate(storage, [FIRST]);
      migrate(storage, [FIRST, SECOND], atOnce);
      expect(tables(storage)).toEqual(["a", "b", "schema_migrations"]);
    });
  });
});
