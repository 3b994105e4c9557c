import { existsSync } from "node:fs";
import { join } from "node:path";

/** Where the sources of LangGraph.js are. Throws when the caller has not said so. */
export function checkout(): { readonly core: string } {
  const path = process.env["LANGGRAPHJS"];
  const core = join(path ?? "", "libs/langgraph-core");
  if (path !== undefined && existsSync(join(core, "src/tests"))) return { core };
  throw new Error(
    path === undefined
      ? "Set LANGGRAPHJS to the path of a checkout of langchain-ai/langgraphjs."
      : `LANGGRAPHJS is "${path}", which is no checkout of langchain-ai/langgraphjs.`,
  );
}
