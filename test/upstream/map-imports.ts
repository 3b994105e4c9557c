import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const REPOSITORY = join(import.meta.dirname, "../..");
const RELEASED = join(REPOSITORY, "node_modules/@langchain/langgraph/dist");
const VIRTUAL = "\0engine:";
const EMPTY = "\0empty";

/** Names the modules whose exports stand for a source of LangGraph, itself named by its path below `src`. */
export type Stand = (source: string) => readonly string[];

const isTestCode = (path: string) => path.startsWith("tests/") || /\btest(-utils)?\.[jt]s$/.test(path);

/** Gives the tests in `sources` another engine, and the packages that are installed here. */
export function mapImports(sources: string, stand: Stand): Plugin {
  return {
    name: "upstream-imports",
    enforce: "pre",
    async resolveId(specifier, importer) {
      if (!importer?.startsWith(`${sources}/`)) return null;
      if (specifier.startsWith(".")) {
        const path = join(dirname(importer), specifier).slice(sources.length + 1);
        return isTestCode(path) ? join(sources, path.replace(/\.js$/, ".ts")) : VIRTUAL + path;
      }
      if (specifier.startsWith("node:") || specifier.startsWith("/")) return null;
      const installed = await this.resolve(specifier, join(REPOSITORY, "package.json"), { skipSelf: true });
      // What is not installed is empty, so that the tests fail that use it, not all in the file.
      return installed ?? EMPTY;
    },
    load(id) {
      if (id === EMPTY) return "export {};";
      if (!id.startsWith(VIRTUAL)) return null;
      const modules = stand(id.slice(VIRTUAL.length));
      return modules.map((module) => `export * from ${JSON.stringify(module)};`).join("\n");
    },
  };
}

/** Tidemark: one module has all names, wherever LangGraph keeps them. */
export const tidemark: Stand = () => [join(import.meta.dirname, "surface.ts")];

/** The released LangGraph, which shows where its own tests no longer hold. Its build drops modules and internal names. */
export const langgraph: Stand = (source) =>
  [source, "index.js", "pregel/index.js", "graph/zod/index.js", "graph/zod/schema.js", "prebuilt/index.js"]
    .map((module) => join(RELEASED, module))
    .filter(existsSync);
