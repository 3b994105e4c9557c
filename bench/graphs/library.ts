import * as theirLibrary from "@langchain/langgraph";
import * as ourLibrary from "tidemark";

/** LangGraph.js has the names that are used here, with the same meaning: each graph is written once. */
export type Library = typeof ourLibrary;

export const ours: Library = ourLibrary;
export const theirs = theirLibrary as unknown as Library;

/** Both savers keep everything in memory. */
export type Saver = InstanceType<Library["MemorySaver"]>;
