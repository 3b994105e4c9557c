// `npm run tables`: writes the migrations, which are SQL, as code that goes with each Worker; and before, for threads, what
// makes at once what all of them make one after the other: the tables that a thread begins with, and each of the lazy ones.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

interface Step {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** The lazy table that it is about. */
  readonly table?: string;
}

interface NewestTables {
  readonly begin: string;
  readonly lazy: ReadonlyMap<string, string>;
}

const root = join(import.meta.dirname, "..");

/** The tables of a thread that are made with their first row: the rows of each go through a `LazyTable`. */
const LAZY = [
  "blobs",
  "parts",
  "answers",
  "idempotency_keys",
  "events",
  "received_events",
  "deliveries",
  "crons",
  "limit_question",
];

function stepsOf(folder: string): Step[] {
  const files = readdirSync(join(root, "migrations", folder)).toSorted((a, b) => a.localeCompare(b, "en"));
  return files.flatMap((file) => {
    const [, version, name] = /^(\d{4})_(\w+)\.sql$/.exec(file) ?? [];
    if (name === undefined) return [];
    const sql = readFileSync(join(root, "migrations", folder, file), "utf8");
    const [, table] = /^-- Of (\w+)\.$/m.exec(sql) ?? [];
    return [{ version: Number(version), name, sql, ...(table !== undefined && { table }) }];
  });
}

function newestTables(steps: readonly Step[]): NewestTables {
  const database = new DatabaseSync(":memory:");
  for (const { sql } of steps) database.exec(sql);
  const statement = "SELECT tbl_name AS name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";
  const made = database.prepare(statement).all() as { readonly name: string; readonly sql: string }[];
  const scriptOf = (isMeant: (name: string) => boolean): string =>
    made.flatMap(({ name, sql }) => (isMeant(name) ? `${sql};` : [])).join("\n\n");
  const lazy = LAZY.map((table) => [table, scriptOf((name) => name === table)] as const);
  return { begin: scriptOf((name) => !LAZY.includes(name)), lazy: new Map(lazy) };
}

function fileOf({ begin, lazy }: NewestTables): string {
  const parts = [
    "-- Made of the migrations by `npm run tables`: what a new thread begins with.",
    begin,
    "-- And what is made with its first row.",
    ...lazy.values(),
  ];
  return `${parts.join("\n\n")}\n`;
}

function codeOf(folder: string, steps: readonly Step[], newest?: NewestTables): string {
  const entries = steps.map(
    ({ version, name, sql, table }) =>
      `  {\n    version: ${version},\n    name: "${name}",\n    sql: ${literal(sql)},\n${
        table === undefined ? "" : `    table: "${table}",\n`
      }  },\n`,
  );
  return [
    `// Made of migrations/${folder} by \`npm run tables\`.\n`,
    `import type { Migration } from "../storage/migrations.ts";\n\n`,
    `/** The tables of a ${folder} object, in the order in which they came. */\n`,
    `export const ${folder}Migrations: readonly Migration[] = [\n${entries.join("")}];\n`,
    newest === undefined ? "" : newestCode(newest),
  ].join("");
}

function newestCode({ begin, lazy }: NewestTables): string {
  const entries = Array.from(lazy, ([table, sql]) => `  ${table}:\n    ${literal(sql)},\n`);
  return [
    `\n/** What all of them make, but for what is made later. */\nexport const newestTables =\n  ${literal(begin)};\n`,
    `\n/** What is made with the first row of each of these. */\n`,
    `export const lazyTables = {\n${entries.join("")}};\n`,
  ].join("");
}

/** Without its layout, which every Worker would carry along. Texts in SQL are never more than words here. */
function literal(sql: string): string {
  const text = sql
    .replaceAll(/^--.*$/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

const threads = stepsOf("thread");
const newest = newestTables(threads);
writeFileSync(join(root, "migrations/thread/newest.sql"), fileOf(newest));
writeFileSync(join(root, "src/thread/migrations.ts"), codeOf("thread", threads, newest));
writeFileSync(join(root, "src/directory/migrations.ts"), codeOf("directory", stepsOf("directory")));
