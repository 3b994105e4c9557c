import { expect, it } from "vitest";
import { cases } from "./cases.ts";
import { functionalCases } from "./functional-cases.ts";
import { streamCases } from "./stream-cases.ts";
import { subgraphCases } from "./subgraph-cases.ts";
import { compare } from "./session.ts";

it.each(Object.entries({ ...cases, ...subgraphCases, ...functionalCases, ...streamCases }))(
  "%s: as in LangGraph",
  async (_, { build, script }) => {
    const { ours, theirs } = await compare(build, script);
    expect(ours).toEqual(theirs);
  },
);
