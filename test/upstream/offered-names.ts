import * as released from "@langchain/langgraph";
import * as releasedChannels from "@langchain/langgraph/channels";
import * as releasedPregel from "@langchain/langgraph/pregel";
import * as releasedPrebuilt from "@langchain/langgraph/prebuilt";
import * as releasedZod from "@langchain/langgraph/zod";
import * as releasedSchemas from "@langchain/langgraph/zod/schema";
import * as surface from "./surface.ts";

/** The names that a test may use: LangGraph's public ones, and what Tidemark has besides. */
export const offeredNames: ReadonlySet<string> = new Set(
  [
    released,
    releasedChannels,
    releasedPregel,
    releasedPrebuilt,
    releasedZod,
    releasedSchemas,
    surface,
  ].flatMap((module) => Object.keys(module)),
);
