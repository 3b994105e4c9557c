import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks } from "./support/markdown.ts";
import { runBin } from "./support/run.ts";
import { ROOT } from "./support/server.ts";

const output = mkdtempSync(join(tmpdir(), "tidemark-deploy-"));
afterAll(() => rmSync(output, { recursive: true, force: true }));

/** What a deployment would have, as wrangler lists it. */
function deployment(folder: string, ...args: readonly string[]): Promise<string> {
  return runBin("wrangler", ["deploy", "--dry-run", "--outdir", output, ...args], folder);
}

describe("a deployment of the example", () => {
  it("has the objects of threads and directories, the bucket and the version", async () => {
    const listed = await deployment(ROOT);
    for (const binding of ["env.THREAD (Thread)", "env.DIRECTORY (Directory)", "env.BLOBS (tidemark-blobs)"])
      expect(listed).toContain(binding);
    expect(listed).toContain("env.CF_VERSION_METADATA");
  });
});

describe("the configuration of docs/deploy.md", () => {
  mkdirSync(join(ROOT, ".tidemark"), { recursive: true });
  // Inside the repository, whose tsconfig.json says what "tidemark" is.
  const folder = mkdtempSync(join(ROOT, ".tidemark/deploy-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    const documents = ["README.md", "docs/deploy.md"].map((file) => readFileSync(join(ROOT, file), "utf8"));
    for (const { text } of documents.flatMap(codeBlocks)) {
      const name = /^(?:\/\/|#) (\S+\.(?:ts|toml))\n/.exec(text)?.[1];
      if (name !== undefined) writeFileSync(join(folder, name), text);
    }
    const settings = { extends: "../../tsconfig.json", include: [".", "../../src/sql.d.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  });

  it("type-checks", async () => {
    await runBin("tsc", ["-p", "."], folder);
  });

  it.for([
    { args: ["--env", ""], bucket: "my-agent-blobs" },
    { args: ["--env", "staging"], bucket: "my-agent-blobs-staging" },
  ])("has all bindings in the environment $args", async ({ args, bucket }) => {
    const listed = await deployment(folder, ...args);
    const bindings = ["THREAD (Thread)", "DIRECTORY (Directory)", `BLOBS (${bucket})`];
    for (const binding of bindings) expect(listed).toContain(`env.${binding}`);
    for (const binding of ["RATE_LIMITER", "CF_VERSION_METADATA"]) expect(listed).toContain(`env.${binding}`);
    expect(listed).not.toMatch(/warning/i);
  });
});
