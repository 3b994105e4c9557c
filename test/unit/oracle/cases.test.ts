import { expect, it } from "vitest";
import { cases } from "./cases.ts";
import { configCases } from "./config-cases.ts";
import { functionalCases } from "./functional-cases.ts";
import { rootStateCases } from "./root-state-cases.ts";
import { streamCases } from "./stream-cases.ts";
import { subgraphCases } from "./subgraph-cases.ts";
import { stateCases } from "./state-cases.ts";
import { superstepCases } from "./superstep-cases.ts";
import { compare } from "./session.ts";

it.each(
  Object.entries({
    ...cases,
    ...subgraphCases,
    ...functionalCases,
    ...streamCases,
    ...superstepCases,
    ...stateCases,
    ...configCases,
    ...rootStateCases,
  }),
)("%s: as in LangGraph", async (_, { build, script }) => {
  const { ours, theirs } = await compare(build, script);
  expect(ours).toEqual(theirs);
});
