import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { directoryMigrations } from "../../src/directory/migrations.ts";
import type { Migration } from "../../src/storage/migrations.ts";
import { lazyTables, newestTables, threadMigrations } from "../../src/thread/migrations.ts";

const folder = join(import.meta.dirname, "../../migrations");
/** The statements, without comments and layout. */
const read = (file: string): string =>
  readFileSync(join(folder, file), "utf8")
    .replaceAll(/^--.*$/gm, "")
    .split(/\s+/)
    .filter(Boolean)
    .join(" ");

describe("the migrations in the code", () => {
  it.each([
    ["thread", threadMigrations, ["newest.sql"]],
    ["directory", directoryMigrations, []],
  ])("of a %s are the files, in their order; else: npm run tables", (kind, migrations, others) => {
    const texts = migrations.map(({ version, name, sql }) => ({
      file: `${String(version).padStart(4, "0")}_${name}.sql`,
      sql,
    }));
    const files = readdirSync(join(folder, kind)).filter((file) => !others.includes(file));
    expect(texts).toEqual(files.toSorted().map((file) => ({ file, sql: read(`${kind}/${file}`) })));
  });

  it("end in the newest tables", () => {
    const texts = [newestTables, ...Object.values(lazyTables)];
    expect(texts.join(" ")).toBe(read("thread/newest.sql"));
  });

  it("say of which lazy table they are", () => {
    const marks = threadMigrations.map(({ table }) => table ?? "").join();
    const files = readdirSync(join(folder, "thread")).filter((file) => file !== "newest.sql");
    const texts = files.toSorted().map((file) => readFileSync(join(folder, "thread", file), "utf8"));
    expect(marks).toBe(texts.map((text) => /^-- Of (\w+)\.$/m.exec(text)?.[1] ?? "").join());
  });
});

describe("an object that began without lazy tables", () => {
  /** The version with which objects began to. */
  const FIRST_LAZY = 22;

  /** Its tables, when it runs the steps that came since. */
  function grown(migrations: readonly Migration[]): unknown[] {
    const database = new DatabaseSync(":memory:");
    const began = migrations.filter(({ version }) => version <= FIRST_LAZY);
    for (const { sql } of began) database.exec(sql);
    for (const name of Object.keys(lazyTables)) database.exec(`DROP TABLE IF EXISTS ${name}`);
    for (const { sql, table } of migrations.slice(began.length)) if (table === undefined) database.exec(sql);
    return tablesOf(database);
  }

  function tablesOf(database: DatabaseSync): unknown[] {
    return database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
  }

  it("comes to the newest ones: a step that is about a lazy table says so", () => {
    const newest = new DatabaseSync(":memory:");
    newest.exec(newestTables);
    expect(grown(threadMigrations)).toEqual(tablesOf(newest));
    const next = { version: FIRST_LAZY + 1000, name: "next", sql: "ALTER TABLE events ADD COLUMN next;" };
    expect(grown([...threadMigrations, { ...next, table: "events" }])).toEqual(tablesOf(newest));
    expect(() => grown([...threadMigrations, next])).toThrow("no such table: events");
  });
});
