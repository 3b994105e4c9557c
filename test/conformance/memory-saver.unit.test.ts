import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { MemorySaver } from "../../src/checkpoint/memory-saver.ts";
import { asLangGraphSaver } from "./langgraph-saver.ts";

const savers = {
  checkpointerName: "tidemark MemorySaver",
  createCheckpointer: () => asLangGraphSaver(new MemorySaver()),
};

validate(savers);
deltaChannelHistoryTests(savers);
