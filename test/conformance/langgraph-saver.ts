import type { BaseCheckpointSaver as LangGraphSaver } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";

/** The port is LangGraph's, but its class has private members of its own: only at run time is ours one of its kind. */
export function asLangGraphSaver(saver: BaseCheckpointSaver): LangGraphSaver {
  return saver as unknown as LangGraphSaver;
}
