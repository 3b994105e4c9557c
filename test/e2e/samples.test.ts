import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { codeBlocks } from "./support/markdown.ts";
import { runBin } from "./support/run.ts";
import { ROOT } from "./support/server.ts";

/** Whose files belong together: tests of their own check them. */
const WHOLE = new Set(["deploy.md"]);

describe("the samples of the documents", () => {
  mkdirSync(join(ROOT, ".tidemark"), { recursive: true });
  // Inside the repository, whose tsconfig.json says what "tidemark" is.
  const folder = mkdtempSync(join(ROOT, ".tidemark/samples-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("type-check, each by itself, with what they take as given", async () => {
    const documents = readdirSync(join(ROOT, "docs")).filter(
      (name) => name.endsWith(".md") && !WHOLE.has(name),
    );
    const samples = documents.flatMap((name) =>
      codeBlocks(readFileSync(join(ROOT, "docs", name), "utf8"))
        .filter(({ language }) => language === "ts")
        .map(({ text }, index) => ({ file: `${basename(name, ".md")}-${index + 1}.ts`, text })),
    );
    expect(samples.length).toBeGreaterThan(20);
    for (const { file, text } of samples) {
      // A line that begins with a period goes on with a graph that is being built.
      writeFileSync(join(folder, file), `${text.startsWith(".") ? `builder${text}` : text}\nexport {};\n`);
    }
    writeFileSync(join(folder, "graph.ts"), 'export { support } from "../../examples/support/graph.ts";\n');
    copyFileSync(join(import.meta.dirname, "fixtures/samples/given.d.ts"), join(folder, "given.d.ts"));
    // Readers may write classes as they like.
    const compilerOptions = { erasableSyntaxOnly: false };
    const include = [".", "../../src/sql.d.ts"];
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include }),
    );
    expect(await runBin("tsc", ["--noEmit", "--pretty", "false"], folder)).toBe("");
  });
});
