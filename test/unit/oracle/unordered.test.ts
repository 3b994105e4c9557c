import { expect, it } from "vitest";
import type { Case } from "./cases.ts";
import { ours, theirs, type Library } from "./engine.ts";
import { Session } from "./session.ts";
import { show } from "./show.ts";
import { unordered } from "./subgraph-cases.ts";

/** What is left where the order of checkpoints, and with it their ids, differs from run to run. */
async function played(library: Library, { build, script }: Case): Promise<unknown> {
  const session = new Session(library, build, new library.MemorySaver());
  await script(session);
  const history = await session.history();
  return {
    steps: session.record.filter((step) => !(typeof step === "object" && step !== null && "state" in step)),
    history: history.map(({ values, next, metadata }) => show({ values, next, step: metadata?.step })),
    counts: [...session.counters.counts],
  };
}

it.each(Object.entries(unordered))("%s: as in LangGraph", async (_, found) => {
  expect(await played(ours, found)).toEqual(await played(theirs, found));
});
