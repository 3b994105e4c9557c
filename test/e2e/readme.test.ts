import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemorySaver } from "tidemark";
import type { Pregel } from "tidemark/pregel";
import { codeBlocks, differences, parseShown } from "./support/markdown.ts";
import { bundle, run, runBin } from "./support/run.ts";
import { ROOT, Server } from "./support/server.ts";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const http = readFileSync(join(ROOT, "docs/http.md"), "utf8");
const blocks = codeBlocks(readme);

describe("the commands of README", () => {
  const server = new Server();
  beforeAll(() => server.start());
  afterAll(() => server.dispose());

  it("answer what it shows", async () => {
    const ids = new Map<string, string>();
    let answers = 0;
    for (const [index, { language, text }] of blocks.entries()) {
      if (language !== "sh" || !text.includes("curl")) continue;
      const shown = blocks[index + 1];
      expect(shown?.language).toBe("json");
      const printed = await run(
        "bash",
        ["-ec", withActualIds(text, ids).replaceAll("localhost:8787", `127.0.0.1:${server.port}`)],
        ROOT,
      );
      expect(differences(parseShown(shown?.text ?? ""), JSON.parse(printed), ids), text).toEqual([]);
      answers += 1;
    }
    expect(answers).toBe(10);
    // A run, an interrupt and a checkpoint, and the run and the checkpoint of the resume; two questions and the run between them.
    expect(ids.size).toBe(8);
  });
});

/** The ids that are shown stand for those of this run. */
function withActualIds(text: string, ids: ReadonlyMap<string, string>): string {
  return [...ids].reduce((command, [shown, actual]) => command.replaceAll(shown, actual), text);
}

describe("the code of README", () => {
  mkdirSync(join(ROOT, ".tidemark"), { recursive: true });
  // Inside the repository, whose tsconfig.json says what "tidemark" is.
  const folder = mkdtempSync(join(ROOT, ".tidemark/readme-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    for (const { language, text } of blocks) {
      const name = /^(?:\/\/|#) (\S+\.(?:ts|toml))\n/.exec(text)?.[1];
      if (name !== undefined && ["ts", "toml"].includes(language)) writeFileSync(join(folder, name), text);
    }
    const settings = { extends: "../../tsconfig.json", include: [".", "../../src/sql.d.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  });

  it("type-checks", async () => {
    await runBin("tsc", ["-p", "."], folder);
  });

  it("bundles as a Worker", async () => {
    await bundle(folder, "out");
    expect(existsSync(join(folder, "out/worker.js"))).toBe(true);
  });

  it("runs", async () => {
    const { article } = (await import(join(folder, "graph.ts"))) as { readonly article: Pregel };
    const options = { checkpointer: new MemorySaver(), configurable: { thread_id: "1" } };
    const asked = await article.run({ kind: "input", value: { topic: "tides" } }, options);
    if (asked.status !== "interrupted") throw new Error(`The run was ${asked.status}`);
    expect(asked.interrupts.map(({ value }) => value)).toEqual(["Publish it?"]);

    const answers = new Map(asked.interrupts.map(({ id }) => [id, { approved: true }]));
    expect(await article.run({ kind: "answers", answers }, options)).toMatchObject({ status: "success" });
    const { values } = await article.getState(options, options);
    expect(values).toEqual({ topic: "tides", log: ["a draft about tides", "published"] });
  });
});

describe("the links of the documents", () => {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join("docs", file));

  it.each(["README.md", "CONTRIBUTING.md", ...docs])("of %s lead somewhere", (file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => target);
    const missing = targets.filter((target) => !existsSync(join(ROOT, dirname(file), target)));
    expect(missing).toEqual([]);
  });
});

describe("docs/http.md", () => {
  it("names every error code under its status", () => {
    const source = readFileSync(join(ROOT, "src/http/errors.ts"), "utf8");
    const codes = [...source.matchAll(/^ {2}(\w+): (\d{3}),$/gm)];
    expect(codes.length).toBeGreaterThan(10);
    const rows = new Map([...http.matchAll(/^\| (\d{3}) \|(.*)$/gm)].map(([, status, row]) => [status, row]));
    const missing = codes.filter(([, code, status]) => !rows.get(status)?.includes(`\`${code}\``));
    expect(missing.map(([entry]) => entry.trim())).toEqual([]);
  });
});
