import { expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";
import * as tidemark from "tidemark";

it("schemas of zod stay as zod has made them", () => {
  expect(tidemark.withLangGraph).toBeDefined();
  for (const schema of [z.string(), z3.string()]) expect(schema).not.toHaveProperty("langgraph");
});
