// `npm run tables`: writes migrations/thread/newest.sql, which makes at once what all migrations make one after the other.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const folder = join(import.meta.dirname, "../migrations/thread");
writeFileSync(join(folder, "newest.sql"), newestTables());

function newestTables(): string {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)");
  const steps: string[] = [];
  for (const file of readdirSync(folder).toSorted((a, b) => a.localeCompare(b, "en"))) {
    const [, version, name] = /^(\d{4})_(\w+)\.sql$/.exec(file) ?? [];
    if (name === undefined) continue;
    database.exec(readFileSync(join(folder, file), "utf8"));
    steps.push(`  (${Number(version)}, '${name}')`);
  }
  const statement = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";
  const made = database.prepare(statement).all() as { readonly sql: string }[];
  return [
    "-- Made of the migrations by `npm run tables`: what a new thread begins with.",
    ...made.map(({ sql }) => `${sql};`),
    `INSERT INTO schema_migrations (version, name) VALUES\n${steps.join(",\n")};\n`,
  ].join("\n\n");
}
