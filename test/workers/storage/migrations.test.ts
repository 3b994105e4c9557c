import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { LazyTables } from "../../../src/storage/lazy-tables.ts";
import { migrate, schemaVersion } from "../../../src/storage/migrations.ts";
import { Tables } from "../../../src/storage/tables.ts";
import { lazyTables, newestTables, threadMigrations } from "../../../src/thread/migrations.ts";
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

  describe("that is about a lazy table", () => {
    const LATER = { version: 2, name: "later", table: "b", sql: "ALTER TABLE b ADD COLUMN y;" };
    const LAST = { version: 3, name: "last", table: "b", sql: "CREATE INDEX b_by_y ON b (y);" };

    it("is left out where that table is not there, which is made in its newest form", async () => {
      await inNewObject((storage) => {
        expect(migrate(storage, [FIRST], "CREATE TABLE a (x)")).toBe(0);
        expect(migrate(storage, [FIRST, LATER, LAST])).toBe(1);
        expect(tables(storage)).toEqual(["a", "schema_migrations"]);
        expect(schemaVersion(storage.sql)).toBe(3);
        const lazy = new LazyTables(storage.sql, {
          b: "CREATE TABLE b (x, y); CREATE INDEX b_by_y ON b (y);",
        });
        lazy.of("b").insert("INSERT INTO b (y) VALUES (1)");
        expect(migrate(storage, [FIRST, LATER, LAST])).toBe(3);
        expect(lazy.of("b").all("SELECT * FROM b")).toEqual([{ x: null, y: 1 }]);
      });
    });

    it("is applied where it is: made by an earlier version, or by an earlier step", async () => {
      const expectApplied = (storage: DurableObjectStorage) =>
        expect(storage.sql.exec("SELECT * FROM b INDEXED BY b_by_y").columnNames).toEqual(["x", "y"]);
      await inNewObject((storage) => {
        migrate(storage, [FIRST]);
        migrate(storage, [FIRST, LATER, LAST]);
        expectApplied(storage);
      });
      await inNewObject((storage) => {
        migrate(storage, [FIRST, LATER, LAST]);
        expectApplied(storage);
      });
      await inNewObject((storage) => {
        const before = { version: 1, name: "before", sql: "CREATE TABLE a (x);" };
        const made = { version: 2, name: "made", sql: "CREATE TABLE b (x);" };
        migrate(storage, [before]);
        migrate(storage, [before, made, { ...LATER, version: 3 }, { ...LAST, version: 4 }]);
        expectApplied(storage);
      });
    });

    it("may be the one that brings it: an object has it when it has rows for it", async () => {
      await inNewObject((storage) => {
        const made = { version: 2, name: "made", table: "c", sql: "CREATE TABLE c (x);" };
        const altered = { version: 3, name: "altered", table: "c", sql: "ALTER TABLE c ADD COLUMN y;" };
        migrate(storage, [FIRST]);
        migrate(storage, [FIRST, made, altered]);
        expect(tables(storage)).toEqual(["a", "b", "schema_migrations"]);
        const lazy = new LazyTables(storage.sql, { c: "CREATE TABLE c (x, y)" });
        lazy.of("c").insert("INSERT INTO c (y) VALUES (1)");
        expect(lazy.of("c").all("SELECT * FROM c")).toEqual([{ x: null, y: 1 }]);
      });
      // All steps one after the other, as for rows that have an older version.
      await inNewObject((storage) => {
        const made = { version: 2, name: "made", table: "c", sql: "CREATE TABLE c (x);" };
        migrate(storage, [FIRST, made]);
        expect(tables(storage)).toEqual(["a", "b", "c", "schema_migrations"]);
      });
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
  /** All that SQLite knows of them, and what is the last row in them. */
  function contentOf(storage: DurableObjectStorage): object {
    const statement =
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT GLOB '_cf_*' ORDER BY type, name";
    const pages = new Tables(storage.sql);
    return {
      schema: storage.sql.exec(statement).toArray(),
      rows: pages.names().map((name) => [name, pages.page(name).rows.slice(-1)]),
    };
  }

  it("are those that all migrations make, when all of them are used; else: npm run tables", async () => {
    const migrated = await inNewObject((storage) => {
      migrate(storage, threadMigrations);
      return contentOf(storage);
    });
    const made = await inNewObject((storage) => {
      migrate(storage, threadMigrations, newestTables);
      const lazy = new LazyTables(storage.sql, lazyTables);
      for (const name of lazy.lazy) lazy.make(name);
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
      expect(storage.sql.exec("SELECT * FROM schema_migrations").toArray()).toEqual([
        { version: 2, name: "second" },
      ]);
    });
    await inNewObject((storage) => {
      migrate(storage, [FIRST]);
      migrate(storage, [FIRST, SECOND], atOnce);
      expect(tables(storage)).toEqual(["a", "b", "schema_migrations"]);
    });
  });
});
