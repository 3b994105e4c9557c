import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../src/version.ts";
import { codeBlocks } from "./support/markdown.ts";
import { bundle, run, runBin } from "./support/run.ts";
import { ROOT } from "./support/server.ts";

/** In bytes, minified and compressed: the whole Worker, of which the graph is next to nothing. */
const BUNDLE_BUDGET = 207_000;

/** The same of the client. */
const CLIENT_BUDGET = 3000;

const project = realpathSync(mkdtempSync(join(tmpdir(), "tidemark-package-")));
const installed = join(project, "node_modules/tidemark");
afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** A project that has the tarball, and beside it only the packages that the tarball says it needs. */
beforeAll(async () => {
  await run("npm", ["pack", "--silent", "--pack-destination", project], ROOT);
  const tarball = readdirSync(project).find((file) => file.endsWith(".tgz")) ?? "";
  await run("tar", ["-xzf", tarball], project);
  mkdirSync(dirname(installed));
  cpSync(join(project, "package"), installed, { recursive: true });
  for (const name of Object.keys(readManifest(installed).dependencies)) link(name);
});

function link(name: string): void {
  const place = join(project, "node_modules", name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(ROOT, "node_modules", name), place, "junction");
}

/** What README tells who writes a Worker. */
function compilerOptionsOfReadme(): object {
  const blocks = codeBlocks(readFileSync(join(ROOT, "README.md"), "utf8"));
  const shown = blocks.find(({ text }) => text.includes('"compilerOptions"'))?.text ?? "";
  return (JSON.parse(shown) as { readonly compilerOptions: object }).compilerOptions;
}

async function typeCheck(file: string, own: object) {
  const shared = {
    target: "es2024",
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    noEmit: true,
  };
  const config = { compilerOptions: { ...shared, ...own }, include: [file] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
  await runBin("tsc", [], project);
}

describe("the package", () => {
  it("says which version it is", () => {
    expect(VERSION).toBe(readManifest(installed).version);
  });

  it("holds what is built, and nothing else", () => {
    expect(readdirSync(installed).toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  });

  it("brings the command", async () => {
    const { tidemark } = readManifest(installed).bin;
    const program = join(installed, tidemark ?? "");
    expect(readFileSync(program, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(await run(process.execPath, [program, "--help"], project)).toContain("tidemark import --to URL");
  });

  it("is importable in Node, all but what needs a Worker", async () => {
    const entries = Object.keys(readManifest(installed).exports)
      .filter((entry) => entry !== "./package.json" && entry !== "./worker")
      .map((entry) => `tidemark${entry.slice(1)}`);
    expect(entries).toEqual(
      expect.arrayContaining(["tidemark", "tidemark/channels", "tidemark/pregel", "tidemark/checkpoint"]),
    );
    const script = entries.map((entry) => `import * as ${entry.replaceAll(/\W/g, "_")} from "${entry}";`);
    const graph = `
      const { Annotation, END, MemorySaver, START, StateGraph } = tidemark;
      const graph = new StateGraph(Annotation.Root({ name: Annotation(), text: Annotation() }))
        .addNode("greet", ({ name }) => ({ text: "Hello " + name }))
        .addEdge(START, "greet")
        .addEdge("greet", END)
        .compile({ checkpointer: new MemorySaver() });
      const config = { configurable: { thread_id: "1" } };
      console.log(JSON.stringify(await graph.invoke({ name: "Ada" }, config)));`;
    const printed = await run(
      process.execPath,
      ["--input-type=module", "-e", [...script, graph].join("\n")],
      project,
    );
    expect(JSON.parse(printed)).toEqual({ name: "Ada", text: "Hello Ada" });
  });

  it("has a client that type-checks where only a browser's types are", async () => {
    const page = `
      import { TidemarkClient } from "tidemark/client";
      const thread = new TidemarkClient<{ log: string[] }>({ url: location.origin }).thread("t");
      export const log: string[] = (await thread.state()).values.log;`;
    writeFileSync(join(project, "page.ts"), page);
    await typeCheck("page.ts", { lib: ["es2024", "dom"], types: [] });
  });

  it.each(["es2022", "es2024", "esnext"])(
    "has graphs that type-check in a page, with the library %s",
    async (library) => {
      const page = `
      import { Annotation, END, MemorySaver, START, StateGraph } from "tidemark";
      const graph = new StateGraph(Annotation.Root({ name: Annotation<string>() }))
        .addNode("greet", ({ name }) => ({ name }))
        .addEdge(START, "greet")
        .addEdge("greet", END)
        .compile({ checkpointer: new MemorySaver() });
      for await (const { name } of graph.stream({ name: "Ada" }, { streamMode: "values" })) console.log(name);`;
      writeFileSync(join(project, "graphs.ts"), `${page}\nexport {};\n`);
      await typeCheck("graphs.ts", { lib: [library, "dom", "dom.asynciterable"], types: [] });
    },
  );

  it("has a client of three kilobytes that needs nothing else", async () => {
    const input = join(installed, "dist/client/index.js");
    const built = await build({
      configFile: false,
      root: project,
      logLevel: "silent",
      build: { write: false, rolldownOptions: { input, preserveEntrySignatures: "strict" } },
    });
    const [chunk, ...others] = [built].flat().flatMap((each) => ("output" in each ? each.output : []));
    if (chunk?.type !== "chunk") throw new Error("Nothing was built of the client.");
    expect([others, chunk.imports]).toEqual([[], []]);
    expect(chunk.exports).toContain("TidemarkClient");
    const size = gzipSync(chunk.code).byteLength;
    expect(size).toBeGreaterThan(1000);
    expect(size).toBeLessThanOrEqual(CLIENT_BUDGET);
  });

  it("type-checks and bundles as a Worker, within its budget", async () => {
    for (const file of ["worker.ts", "wrangler.toml"]) {
      cpSync(join(import.meta.dirname, "fixtures", file), join(project, file));
    }
    link("@cloudflare/workers-types");
    await typeCheck("worker.ts", compilerOptionsOfReadme());

    const printed = await bundle(project, "out");
    const files = readdirSync(join(project, "out")).toSorted();
    expect(files).toEqual(["README.md", "worker.js", "worker.js.map"]);
    const bytes = readFileSync(join(project, "out/worker.js"));
    const size = gzipSync(bytes).byteLength;
    expect(bytes.byteLength, printed).toBeGreaterThan(size);
    expect(size).toBeLessThanOrEqual(BUNDLE_BUDGET);
    console.log(`The Worker has ${bytes.byteLength} bytes minified, ${size} compressed.`);
  });
});
