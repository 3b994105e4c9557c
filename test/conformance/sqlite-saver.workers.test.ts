import { validate } from "@langchain/langgraph-checkpoint-validation";
import { SaverObject } from "../workers/storage/durable-saver.ts";
import { asLangGraphSaver } from "./langgraph-saver.ts";

validate({
  checkpointerName: "tidemark SqliteSaver",
  createCheckpointer: async () => asLangGraphSaver(await (await SaverObject.create()).saver()),
});
