import * as fc from "fast-check";
import { expect, it } from "vitest";
import { buildOf, plan, scriptOf } from "./generated.ts";
import { compare } from "./session.ts";

/** TIDEMARK_RUNS=5000 for a long search; TIDEMARK_SEED repeats one. */
const numRuns = Number(process.env["TIDEMARK_RUNS"] ?? 100);
const seed = process.env["TIDEMARK_SEED"];

it("any graph: as in LangGraph", { timeout: 10_000 + numRuns * 200 }, async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ graph, steps }) => {
      const { ours, theirs } = await compare(buildOf(graph), scriptOf(steps));
      expect(ours).toEqual(theirs);
    }),
    { numRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  );
});
