import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { SaverObject } from "../workers/storage/durable-saver.ts";
import { asLangGraphSaver } from "./langgraph-saver.ts";

const savers = {
  checkpointerName: "tidemark SqliteSaver",
  createCheckpointer: async () => asLangGraphSaver(await (await SaverObject.create()).saver()),
};

// TES-05 of the public cases: a saver that passes its own tests only.
validate(savers);
deltaChannelHistoryTests(savers);
