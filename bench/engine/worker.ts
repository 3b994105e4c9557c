import { AsyncLocalStorage } from "node:async_hooks";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { ours, theirs } from "../graphs/library.ts";
import { works } from "./works.ts";

// What LangGraph's entry for Node does by itself; a bundle for Workers has the other one, whose tasks need it all the same.
AsyncLocalStorageProviderSingleton.initializeGlobalInstance(new AsyncLocalStorage());

const prepared = new Map<string, () => Promise<void>>();

/** Does a piece of work so many times: `?engine=…&work=…&times=…`. */
export default {
  async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams;
    const run = prepare(query.get("engine") ?? "", query.get("work") ?? "");
    for (let count = 0; count < Number(query.get("times")); count++) await run();
    return new Response();
  },
};

function prepare(engine: string, name: string): () => Promise<void> {
  const key = `${engine} ${name}`;
  const known = prepared.get(key);
  if (known !== undefined) return known;
  const work = works.find((candidate) => candidate.name === name);
  if (work === undefined) throw new Error(`There is no work "${name}".`);
  const run = work.prepare(engine === "tidemark" ? ours : theirs);
  prepared.set(key, run);
  return run;
}
