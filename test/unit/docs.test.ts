import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { codeBlocks } from "../e2e/support/markdown.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("the code of docs/graphs.md", () => {
  mkdirSync(join(ROOT, ".tidemark"), { recursive: true });
  // Inside the repository, whose tsconfig.json says what "tidemark" is.
  const folder = mkdtempSync(join(ROOT, ".tidemark/docs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", include: ["."] }),
  );

  const blocks = codeBlocks(readFileSync(join(ROOT, "docs/graphs.md"), "utf8"));
  const examples = blocks.flatMap(({ language, text }, index) =>
    language === "ts" ? [{ text, shown: blocks[index + 1]?.text }] : [],
  );

  it("is there", () => {
    expect(examples).toHaveLength(3);
  });

  it.each(examples.map((example, index) => ({ ...example, index })))(
    "shows what it says: $index",
    async (example) => {
      const file = join(folder, `example-${example.index}.ts`);
      writeFileSync(file, example.text);
      const { shown } = (await import(file)) as { readonly shown: string };
      expect(shown.trim()).toBe(example.shown?.trim());
    },
  );
});
