// `npm run tables`: writes the migrations, which are SQL, as code that goes with each Worker; and before, for threads, what
// makes at once what all of them make one after the other.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

interface Step {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const root = join(import.meta.dirname, "..");

function stepsOf(folder: string): Step[] {
  const files = readdirSync(join(root, "migrations", folder)).toSorted((a, b) => a.localeCompare(b, "en"));
  return files.flatMap((file) => {
    const [, version, name] = /^(\d{4})_(\w+)\.sql$/.exec(file) ?? [];
    if (name === undefined) return [];
    const sql = readFileSync(join(root, "migrations", folder, file), "utf8");
    return [{ version: Number(version), name, sql }];
  });
}

function newestTables(steps: readonly Step[]): string {
  const database = new DatabaseSync(":memory:");
  for (const { sql } of steps) database.exec(sql);
  const statement = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";
  const made = database.prepare(statement).all() as { readonly sql: string }[];
  const title = "-- Made of the migrations by `npm run tables`: what a new thread begins with.";
  return `${[title, ...made.map(({ sql }) => `${sql};`)].join("\n\n")}\n`;
}

function codeOf(folder: string, steps: readonly Step[], newest?: string): string {
  const entries = steps.map(
    ({ version, name, sql }) =>
      `  {\n    version: ${version},\n    name: "${name}",\n    sql: ${literal(sql)},\n  },\n`,
  );
  return [
    `// Made of migrations/${folder} by \`npm run tables\`.\n`,
    `import type { Migration } from "../storage/migrations.ts";\n\n`,
    `/** The tables of a ${folder} object, in the order in which they came. */\n`,
    `export const ${folder}Migrations: readonly Migration[] = [\n${entries.join("")}];\n`,
    newest === undefined
      ? ""
      : `\n/** What all of them make. */\nexport const newestTables =\n  ${literal(newest)};\n`,
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
writeFileSync(join(root, "migrations/thread/newest.sql"), newest);
writeFileSync(join(root, "src/thread/migrations.ts"), codeOf("thread", threads, newest));
writeFileSync(join(root, "src/directory/migrations.ts"), codeOf("directory", stepsOf("directory")));
