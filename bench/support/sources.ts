// Preloaded by `npm run bench`: "tidemark" means the sources, as in tsconfig.json, so that nothing has to be built.
import { registerHooks } from "node:module";

const root = new URL("../../", import.meta.url);
const sources: Readonly<Record<string, string>> = {
  tidemark: "src/index.ts",
  "#async-context": "src/pregel/async-context.ts",
};

registerHooks({
  resolve(specifier, context, next) {
    const file = sources[specifier];
    return next(file === undefined ? specifier : new URL(file, root).href, context);
  },
});
