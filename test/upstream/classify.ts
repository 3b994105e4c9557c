import { dirname, join } from "node:path";
import { parseSync } from "vite";
import rules from "./classes.json" with { type: "json" };

/**
 * What a test of LangGraph asks for: (a) its public interface; (b) LangChain's callbacks, models and runnables, or prebuilt
 * agents; (c) private modules; (d) a part of LangGraph that Tidemark does not offer.
 */
export type TestClass = "a" | "b" | "c" | "d";

interface Import {
  readonly name: string;
  readonly from: string;
}

export interface Classified {
  /** Lines of the file, from 1. */
  readonly first: number;
  readonly last: number;
  readonly title: string;
  readonly class: TestClass;
  /** What it needs besides the public interface. */
  readonly why?: string;
}

type Node = Record<string, unknown> & { type: string; start: number; end: number };

interface Module {
  readonly file: string;
  readonly source: string;
  /** What is imported, by the name that the file gives it. */
  readonly imports: ReadonlyMap<string, Import>;
  /** Functions, classes and variables outside of tests. */
  readonly declared: ReadonlyMap<string, Node>;
}

/**
 * The tests in a file, in their order. `isOffered` says of a name whether the engine, or the public part of LangGraph, has
 * it: a test with another name of LangGraph's modules is of class (c).
 */
export function classify(file: string, source: string, isOffered: (name: string) => boolean): Classified[] {
  const { program } = parseSync(file, source);
  const tests: Node[] = [];
  walk(program, (node) => {
    if (isTest(node)) tests.push(node);
    return !isTest(node);
  });
  const module = { file, source, imports: importsOf(program), declared: declarationsOf(program) };
  return tests.map((test) => ({
    first: lineAt(source, test.start),
    last: lineAt(source, test.end),
    title: titleOf(test, source),
    ...classOf(module, test, isOffered),
  }));
}

function classOf(
  module: Module,
  test: Node,
  isOffered: (name: string) => boolean,
): Pick<Classified, "class" | "why"> {
  const byFile = rules.files.find(({ path }) => module.file.startsWith(path));
  if (byFile !== undefined) return { class: asClass(byFile.class), why: byFile.why };
  const parts = reachedFrom(test, module);
  const text = parts.map(({ start, end }) => module.source.slice(start, end)).join("\n");
  const byBody = rules.bodies.find(({ pattern }) => new RegExp(pattern).test(text));
  if (byBody !== undefined) return { class: asClass(byBody.class), why: byBody.why };
  for (const local of new Set(parts.flatMap((part) => [...valuesIn(part)]))) {
    const imported = module.imports.get(local);
    if (imported === undefined) continue;
    const { name, from } = imported;
    const byImport = rules.imports.find((rule) => from.includes(rule.from));
    if (byImport !== undefined) return { class: asClass(byImport.class), why: byImport.why };
    const isPrivate = from.startsWith(".") && !isHelper(module.file, from) && !isOffered(name);
    if (isPrivate) return { class: "c", why: `\`${name}\`` };
  }
  return { class: "a" };
}

function asClass(name: string): TestClass {
  if (name === "b" || name === "c" || name === "d") return name;
  throw new Error(`classes.json has a class "${name}".`);
}

/** Code that comes with the tests. */
const isHelper = (file: string, from: string): boolean => join(dirname(file), from).startsWith("src/tests/");

/** The test, and what it uses of the file around it. */
function reachedFrom(test: Node, { declared }: Module): Node[] {
  const parts = [test];
  const seen = new Set<string>();
  for (const part of parts) {
    for (const name of valuesIn(part)) {
      const node = declared.get(name);
      if (node === undefined || seen.has(name)) continue;
      seen.add(name);
      parts.push(node);
    }
  }
  return parts;
}

/** `it(…)`, `test.each(…)(…)` and the like. */
function isTest(node: Node): boolean {
  if (node.type !== "CallExpression") return false;
  let callee = node["callee"];
  const isCurried = isNode(callee) && callee.type === "CallExpression";
  if (isCurried) callee = (callee as Node)["callee"];
  if (isNode(callee) && callee.type === "MemberExpression") {
    const property = callee["property"];
    const isEach = isNode(property) && (property["name"] === "each" || property["name"] === "for");
    if (isEach !== isCurried) return false;
    callee = callee["object"];
  }
  return isNode(callee) && (callee["name"] === "it" || callee["name"] === "test");
}

function titleOf(test: Node, source: string): string {
  const [title] = test["arguments"] as Node[];
  if (title === undefined) return "";
  return typeof title["value"] === "string" ? title["value"] : source.slice(title.start, title.end);
}

function importsOf(program: unknown): Map<string, Import> {
  const imports = new Map<string, Import>();
  walk(program, (node) => {
    if (node.type !== "ImportDeclaration" || node["importKind"] === "type") return true;
    const from = String((node["source"] as Node)["value"]);
    for (const specifier of node["specifiers"] as Node[]) {
      const local = String((specifier["local"] as Node)["name"]);
      const imported = specifier["imported"];
      imports.set(local, { name: isNode(imported) ? String(imported["name"]) : local, from });
    }
    return false;
  });
  return imports;
}

/** What tests may share: the file's declarations, and those of functions that hold tests. */
function declarationsOf(program: unknown): Map<string, Node> {
  const declared = new Map<string, Node>();
  walk(program, (node) => {
    if (isTest(node)) return false;
    if (holdsTests(node)) return true;
    const id = node["id"];
    const isDeclaration = ["FunctionDeclaration", "ClassDeclaration", "VariableDeclarator"].includes(
      node.type,
    );
    if (isDeclaration && isNode(id) && typeof id["name"] === "string") declared.set(id["name"], node);
    return node.type === "VariableDeclaration" || node.type === "ExportNamedDeclaration";
  });
  return declared;
}

function holdsTests(root: Node): boolean {
  let holds = false;
  walk(root, (node) => {
    holds ||= isTest(node);
    return !holds;
  });
  return holds;
}

/** Names that are used as values: what only types name is erased. */
function valuesIn(root: Node): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isNode(value)) return undefined;
    if (value.type === "Identifier") names.add(String(value["name"]));
    if (value.type.startsWith("TS")) return visit(value["expression"]);
    for (const [key, child] of Object.entries(value)) {
      const isName = (key === "property" || key === "key") && value["computed"] !== true;
      if (!isName) visit(child);
    }
    return undefined;
  };
  visit(root);
  return names;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Visits all nodes; `visit` says whether to look inside. */
function walk(value: unknown, visit: (node: Node) => boolean): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  if (!isNode(value) || !visit(value)) return;
  for (const child of Object.values(value)) walk(child, visit);
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split("\n").length;
}
