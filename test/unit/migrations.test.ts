import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { directoryMigrations } from "../../src/directory/migrations.ts";
import { newestTables, threadMigrations } from "../../src/thread/migrations.ts";

const folder = join(import.meta.dirname, "../../migrations");
/** The statements, without comments and layout. */
const read = (file: string): string =>
  readFileSync(join(folder, file), "utf8")
    .replaceAll(/^--.*\n/gm, "")
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
    expect(newestTables).toBe(read("thread/newest.sql"));
  });
});
