import { expect, it } from "vitest";
import { chain, evictable, historyOf, later, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: runs at the same time. */

it("CON-01: of two runs at once on one thread one is refused, and no input is lost", async () => {
  const { graph } = evictable(
    chain({
      n: async () => {
        await later();
        return { log: ["n"] };
      },
    }),
  );
  const results = await Promise.allSettled([
    graph().invoke({ log: ["a"] }, thread),
    graph().invoke({ log: ["b"] }, thread),
  ]);
  expect(results).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "thread_busy" } },
  ]);
  expect((await graph().invoke({ log: ["b"] }, thread)).log).toEqual(["a", "n", "b", "n"]);
  const parents = (await historyOf(graph())).map(
    (snapshot) => snapshot.parentConfig?.configurable?.checkpoint_id,
  );
  expect(new Set(parents).size).toBe(parents.length);
});
