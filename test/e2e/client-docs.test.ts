import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { BundledServer } from "./support/bundled-server.ts";
import { codeBlocks } from "./support/markdown.ts";
import { ROOT } from "./support/server.ts";

const [example, shown] = codeBlocks(readFileSync(join(ROOT, "docs/client.md"), "utf8"));

describe("the code of docs/client.md", () => {
  mkdirSync(join(ROOT, ".tidemark"), { recursive: true });
  // Inside the repository, whose tsconfig.json says what "tidemark" is.
  const folder = mkdtempSync(join(ROOT, ".tidemark/client-docs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("shows what it says, of the example that npm start serves", async () => {
    const server = await BundledServer.build(ROOT);
    try {
      await server.start();
      const file = join(folder, "example.ts");
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ extends: "../../tsconfig.json", include: ["."] }),
      );
      writeFileSync(file, example?.text.replace("http://localhost:8787", server.url) ?? "");
      const printed = (await import(file)) as { readonly shown: string };
      expect(printed.shown).toBe(shown?.text.trim());
    } finally {
      await server.dispose();
    }
  });
});
