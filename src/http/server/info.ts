import { VERSION } from "../../version.ts";

/** What clients of LangGraph's platform ask a server about itself before they log in. */
export function serverInfo(hasDirectory: boolean, hasCrons: boolean): object {
  return {
    version: VERSION,
    context: "js",
    flags: { assistants: hasDirectory, crons: hasCrons, langsmith: false },
  };
}
