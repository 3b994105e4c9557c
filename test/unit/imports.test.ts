import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";

/** Which way imports point: for each folder (or file) of src, what it may import besides itself and the leaf files. */
interface Rule {
  folders?: readonly string[];
  /** Folders, or single files, of which it may import types. */
  types?: readonly string[];
  packages?: readonly string[];
  packageTypes?: readonly string[];
  /** May load modules that its user names. */
  computed?: true;
}

const LEAVES = [
  "values",
  "version.ts",
  "backoff.ts",
  "errors.ts",
  "graph-errors.ts",
  "error-record.ts",
  "interrupt-error.ts",
  "json.ts",
  "log.ts",
  "discard.ts",
  "graph-crons.ts",
  "in-time.ts",
  "latest-alarm.ts",
  "draft-version.ts",
  "caller-configurable.ts",
  "assistant-id.ts",
  "columns.ts",
  "checked-options.ts",
  "stream-modes.ts",
  "thread-beginning.ts",
  "langchain-message.ts",
  "langgraph-error.ts",
  "metadata-limits.ts",
  "named-answers.ts",
  "hex.ts",
  "shared-bytes.ts",
  "sha1.ts",
  "uuid5.ts",
  "uuid7.ts",
];
const ENGINE = ["pregel", "channels", "checkpoint"];
const ALL = [
  "graph",
  ...ENGINE,
  "archive",
  "hooks",
  "storage",
  "thread",
  "directory",
  "http",
  "openapi",
  "client",
  "testing",
];
const ANY_PACKAGE = "*";

const RULES: Record<string, Rule> = {
  channels: { types: ["checkpoint"] },
  checkpoint: { types: ["channels"] },
  pregel: { folders: ["channels", "checkpoint"], packages: ["#async-context"] },
  graph: { folders: ENGINE, packageTypes: ["@standard-schema/spec"] },
  archive: { folders: ["checkpoint"], packages: ["valibot"] },
  storage: { folders: ["checkpoint"], packageTypes: ["@cloudflare/workers-types"] },
  hooks: {},
  thread: {
    folders: ["storage", "archive", "hooks", "pregel", "graph", "checkpoint"],
    types: ["directory"],
    packages: ["cloudflare:workers"],
  },
  directory: { folders: ["storage", "checkpoint"], packages: ["cloudflare:workers"] },
  http: {
    folders: ["hooks", "graph"],
    types: ["thread", "directory", "pregel", "checkpoint"],
    packages: ["hono", "valibot"],
  },
  command: {
    folders: ["archive", "checkpoint"],
    packages: ["node:crypto", "node:fs", "node:module", "node:path", "node:url", "node:util"],
    computed: true,
  },
  openapi: {
    folders: ["http", "graph"],
    packages: ["@valibot/to-json-schema", "hono", "valibot"],
  },
  // What routes take and answer is known where they are described.
  client: { types: ["openapi/operations", "http/answers"], packageTypes: ["valibot"] },
  testing: { folders: ALL.filter((folder) => folder !== "http"), packages: [ANY_PACKAGE] },
  "index.ts": { folders: ["graph", ...ENGINE] },
  otlp: { folders: ["checkpoint"], types: ["pregel", "thread"] },
  "langgraph-auth.ts": { folders: ["http"], types: ["directory"] },
  "jwt.ts": { folders: ["http"], packages: ["jose"] },
  runtime: { folders: ALL, packages: ["valibot"] },
  "worker.ts": { folders: [...ALL, "runtime"] },
};

const ASYNC_HOOKS_HOME = "pregel/async-context.ts";

interface Import {
  specifier: string;
  typeOnly: boolean;
}

interface Syntax {
  imports: Import[];
  /** Positions of `transactionSync(async …)`: it would commit at the first await. */
  asyncTransactions: number[];
}

type Node = Record<string, unknown> & { type: string; start: number };

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  if (!isNode(value)) return;
  visit(value);
  for (const child of Object.values(value)) walk(child, visit);
}

/** What a module names as its source; an expression that is not a plain string is reported as such. */
function specifierOf(source: unknown): string {
  if (isNode(source) && typeof source["value"] === "string") return source["value"];
  return "(computed)";
}

function importOf(node: Node): Import | undefined {
  switch (node.type) {
    case "ImportDeclaration":
      return { specifier: specifierOf(node["source"]), typeOnly: node["importKind"] === "type" };
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
      if (!node["source"]) return undefined;
      return { specifier: specifierOf(node["source"]), typeOnly: node["exportKind"] === "type" };
    case "ImportExpression":
      return { specifier: specifierOf(node["source"]), typeOnly: false };
    case "TSImportType":
      return { specifier: specifierOf(node["source"]), typeOnly: true };
    case "TSExternalModuleReference":
      return { specifier: specifierOf(node["expression"]), typeOnly: false };
    case "CallExpression": {
      const callee = node["callee"];
      if (!isNode(callee) || callee["name"] !== "require") return undefined;
      return { specifier: specifierOf((node["arguments"] as unknown[])[0]), typeOnly: false };
    }
    default:
      return undefined;
  }
}

/** `x.transactionSync(…)`, `x["transactionSync"](…)` or `transactionSync(…)` with a callback that is async. */
function isAsyncTransaction(node: Node, asyncNames: ReadonlySet<string>): boolean {
  if (node.type !== "CallExpression" || !isNode(node["callee"])) return false;
  const callee = node["callee"];
  const named = isNode(callee["property"]) ? callee["property"] : callee;
  if ((named["name"] ?? named["value"]) !== "transactionSync") return false;
  return (node["arguments"] as Node[]).some(
    (argument) => argument["async"] === true || asyncNames.has(String(argument["name"])),
  );
}

/** Names of functions and of constants that hold a function, where these are async. */
function asyncNamesOf(program: unknown): Set<string> {
  const names = new Set<string>();
  walk(program, (node) => {
    const [id, value] = node.type === "VariableDeclarator" ? [node["id"], node["init"]] : [node["id"], node];
    if (isNode(id) && isNode(value) && value["async"] === true) names.add(String(id["name"]));
  });
  return names;
}

function read(file: string, source: string): Syntax {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const asyncNames = asyncNamesOf(program);
  const syntax: Syntax = { imports: [], asyncTransactions: [] };
  walk(program, (node) => {
    const found = importOf(node);
    if (found) syntax.imports.push(found);
    if (isAsyncTransaction(node, asyncNames)) syntax.asyncTransactions.push(node.start);
  });
  return syntax;
}

const within = (path: string, entries: readonly string[] = []) =>
  entries.some((entry) => path === entry || path === `${entry}.ts` || path.startsWith(`${entry}/`));

/** The package of a specifier: "hono/cors" → "hono", "@a/b/c" → "@a/b"; schemes and "#" names stay whole. */
function packageOf(specifier: string): string {
  if (/^[a-z]+:|^#/.test(specifier)) return specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Why `file` (a path inside src) may not have this import; undefined when it may. */
function violation(file: string, { specifier, typeOnly }: Import): string | undefined {
  const area = file.includes("/") ? file.slice(0, file.indexOf("/")) : file;
  const rule: Rule | undefined = LEAVES.includes(area) ? {} : RULES[area];
  if (!rule) return `"${area}" is not in the table`;
  if (specifier === "(computed)") return rule.computed ? undefined : "a computed import cannot be checked";
  if (specifier === "node:async_hooks") {
    return file === ASYNC_HOOKS_HOME ? undefined : `only ${ASYNC_HOOKS_HOME} imports node:async_hooks`;
  }
  return specifier.startsWith(".")
    ? relativeViolation(file, area, rule, specifier, typeOnly)
    : packageViolation(area, rule, packageOf(specifier), typeOnly);
}

function relativeViolation(file: string, area: string, rule: Rule, specifier: string, typeOnly: boolean) {
  const target = posix.join("src", posix.dirname(file), specifier);
  if (!target.startsWith("src/")) return "it leaves src";
  const path = target.slice("src/".length);
  if (!path.endsWith(".ts")) return "a relative import names the file with its .ts";
  if (within(path, LEAVES) || within(path, [area]) || within(path, rule.folders)) return undefined;
  if (within(path, rule.types)) return typeOnly ? undefined : `${area} may import only types from ${path}`;
  return `${area} may import ${allowed(rule)}`;
}

function packageViolation(area: string, rule: Rule, name: string, typeOnly: boolean): string | undefined {
  if (rule.packages?.some((entry) => entry === name || entry === ANY_PACKAGE)) return undefined;
  if (rule.packageTypes?.includes(name))
    return typeOnly ? undefined : `${area} may import only types of ${name}`;
  return `${area} may import ${allowed(rule)}`;
}

function allowed({ folders = [], types = [], packages = [], packageTypes = [] }: Rule): string {
  const typesOnly = [...types, ...packageTypes].map((name) => `${name} (types only)`);
  return [...folders, ...typesOnly, ...packages].join(", ") || "the leaf files only";
}

const describeViolations = (file: string, source: string) =>
  read(file, source).imports.flatMap((found) => {
    const why = violation(file, found);
    return why ? [`src/${file} imports "${found.specifier}": ${why}`] : [];
  });

/** A cycle of imports, of types too, as the files on it; undefined when there is none. */
function findCycle(sources: ReadonlyMap<string, string>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file) || !sources.has(file)) return undefined;
    path.push(file);
    for (const { specifier } of read(file, sources.get(file)!).imports) {
      const target =
        specifier === "#async-context" ? ASYNC_HOOKS_HOME : posix.join(posix.dirname(file), specifier);
      const cycle = visit(target);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of sources.keys()) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return undefined;
}

function loadSources(): Map<string, string> {
  const root = join(import.meta.dirname, "../../src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).map((file) =>
    file.replaceAll("\\", "/"),
  );
  const modules = files.filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !file.endsWith(".d.ts")).toSorted();
  return new Map(modules.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

describe("src", () => {
  const sources = loadSources();

  it("has files, so that the checks below check something", () => {
    expect(sources.size).toBeGreaterThan(0);
  });

  it("imports only what the table allows", () => {
    expect([...sources].flatMap(([file, source]) => describeViolations(file, source))).toEqual([]);
  });

  it("has no import cycles", () => {
    expect(findCycle(sources)).toBeUndefined();
  });

  it("gives transactionSync no async callback", () => {
    const found = [...sources].filter(([file, source]) => read(file, source).asyncTransactions.length > 0);
    expect(found.map(([file]) => file)).toEqual([]);
  });
});

describe("the import check", () => {
  it.each([
    ["channels/a.ts", `import { x } from "../checkpoint/types.ts";`, "only types from checkpoint/types.ts"],
    [
      "channels/a.ts",
      `import { type X } from "../checkpoint/types.ts";`,
      "only types from checkpoint/types.ts",
    ],
    ["checkpoint/a.ts", `import "hono";`, "checkpoint may import"],
    ["checkpoint/a.ts", `import { c } from "../channels/index.ts";`, "only types from channels/index.ts"],
    [
      "pregel/a.ts",
      `const x = await import("../storage/saver.ts");`,
      "pregel may import channels, checkpoint",
    ],
    ["pregel/a.ts", `import { v7 } from "uuid";`, "pregel may import"],
    ["pregel/a.ts", `import { AsyncLocalStorage } from "node:async_hooks";`, "only pregel/async-context.ts"],
    ["graph/a.ts", `export * from "../thread/thread.ts";`, "graph may import"],
    ["graph/a.ts", `import type { Context } from "hono";`, "graph may import"],
    ["storage/a.ts", `export { x } from "../pregel/loop.ts";`, "storage may import checkpoint"],
    ["thread/a.ts", `import { Directory } from "../directory/directory.ts";`, "only types from directory/"],
    ["thread/a.ts", `import type { App } from "../http/app.ts";`, "thread may import"],
    ["directory/a.ts", `let x: import("../thread/thread.ts").Thread;`, "directory may import"],
    ["http/a.ts", `import { Thread } from "../thread/thread.ts";`, "only types from thread/thread.ts"],
    ["thread/a.ts", `import sql from "../../migrations/thread/0001_init.sql";`, "it leaves src"],
    ["http/a.ts", `import type { Saver } from "../storage/saver.ts";`, "http may import"],
    ["client/a.ts", `import { Run } from "../http/answers/run.ts";`, "only types from http/answers/run.ts"],
    ["client/a.ts", `import type { App } from "../http/app.ts";`, "client may import"],
    ["testing/a.ts", `import { app } from "../http/app.ts";`, "testing may import"],
    ["index.ts", `export { createRuntime } from "./worker.ts";`, "index.ts may import"],
    ["errors.ts", `import { x } from "./graph/index.ts";`, "the leaf files only"],
    ["graph/a.ts", `import { x } from "../../test/helpers.ts";`, "it leaves src"],
    ["graph/a.ts", `import { x } from "./b";`, "with its .ts"],
    ["graph/a.ts", `await import(name);`, "computed"],
    ["graph/a.ts", `const fs = require("node:fs");`, "graph may import"],
    ["elsewhere/a.ts", `import "../errors.ts";`, "not in the table"],
  ])("%s: %s", (file, source, why) => {
    const found = describeViolations(file, source);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`src/${file} imports`);
    expect(found[0]).toContain(why);
  });

  it.each([
    ["channels/a.ts", `import type { X } from "../checkpoint/types.ts"; import { E } from "../errors.ts";`],
    ["checkpoint/a.ts", `import { uuid5 } from "../uuid5.ts"; import "./b.ts";`],
    ["pregel/async-context.ts", `import { AsyncLocalStorage } from "node:async_hooks";`],
    ["pregel/a.ts", `import { AsyncContext } from "#async-context"; export * from "../channels/index.ts";`],
    [
      "graph/a.ts",
      `import type { StandardSchemaV1 } from "@standard-schema/spec"; import "../values/adopt.ts";`,
    ],
    [
      "thread/a.ts",
      `import type { Directory } from "../directory/d.ts"; import { env } from "cloudflare:workers";`,
    ],
    ["storage/a.ts", `import "../checkpoint/index.ts"; import { JsonObject } from "../json.ts";`],
    ["http/a.ts", `import { cors } from "hono/cors"; import type { Thread } from "../thread/thread.ts";`],
    [
      "client/a.ts",
      `import type { Run } from "../http/answers/run.ts"; import type { T } from "../openapi/operations/runs.ts";`,
    ],
    [
      "runtime/create-runtime.ts",
      `import { uuid7 } from "../uuid7.ts"; import { Thread } from "../thread/thread.ts";`,
    ],
  ])("allows %s: %s", (file, source) => {
    expect(describeViolations(file, source)).toEqual([]);
  });

  it("finds a cycle, also one of types", () => {
    const three = (last: string) =>
      new Map([
        ["pregel/a.ts", `import "./b.ts";`],
        ["pregel/b.ts", `export * from "../channels/c.ts";`],
        ["channels/c.ts", last],
      ]);
    const cycle = ["pregel/a.ts", "pregel/b.ts", "channels/c.ts", "pregel/a.ts"];
    expect(findCycle(three(`import { a } from "../pregel/a.ts";`))).toEqual(cycle);
    expect(findCycle(three(`import type { A } from "../pregel/a.ts";`))).toEqual(cycle);
    expect(findCycle(three(`import type { A } from "../errors.ts";`))).toBeUndefined();
  });

  it.each([
    `ctx.storage.transactionSync(async () => { await x; });`,
    `storage?.transactionSync(async function () {});`,
    `storage["transactionSync"](async () => {});`,
    `async function write() {} storage.transactionSync(write);`,
    `const write = async () => {}; storage.transactionSync(write);`,
  ])("finds the async callback in %s", (source) => {
    expect(read("storage/a.ts", source).asyncTransactions).toHaveLength(1);
  });

  it("lets transactionSync have a plain callback", () => {
    const source = `const write = () => {}; s.transactionSync(() => {}); s.transactionSync(write); s.other(async () => {});`;
    expect(read("storage/a.ts", source).asyncTransactions).toEqual([]);
  });
});
