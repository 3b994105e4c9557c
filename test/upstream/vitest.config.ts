import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { checkout } from "./checkout.ts";
import { langgraph, mapImports, type Stand, tidemark } from "./map-imports.ts";

const { core } = checkout();
const repository = join(import.meta.dirname, "../..");

function engine(name: string, stand: Stand): TestProjectInlineConfiguration {
  return {
    root: core,
    plugins: [mapImports(join(core, "src"), stand)],
    // Not the checkout's own: it extends a package, and none are installed there.
    tsconfig: join(repository, "tsconfig.json"),
    resolve: { alias: { "#async-context": join(repository, "src/pregel/async-context.ts") } },
    test: {
      name,
      globals: true,
      testTimeout: 30_000,
      includeTaskLocation: true,
      include: ["src/**/*.test.ts"],
      exclude: ["**/*.int.test.ts"],
      setupFiles: ["./src/tests/setup.node.ts", "./src/tests/matchers/setup.ts"],
    },
  };
}

export default defineConfig({
  test: {
    projects: [engine("tidemark", tidemark), engine("langgraph", langgraph)],
  },
});
