import { messagesStateReducer as theirReducer } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { messagesStateReducer as ourReducer } from "tidemark";
import { ours, START } from "../oracle/engine.ts";
import { both, config } from "./both.ts";

/** docs/differences.md: messages. */

it("a conditional edge sees the id that a message is saved with", async () => {
  const idOf = (messages: unknown): unknown => (messages as { readonly id?: string }[]).at(-1)?.id;
  const seen = await both(async (library) => {
    const reducer = library === ours ? ourReducer : theirReducer;
    const messages = library.Annotation({ reducer, default: () => [] });
    let atEdge: unknown;
    const graph = new library.StateGraph(library.Annotation.Root({ messages }))
      .addNode("a", () => ({ messages: [{ role: "ai", content: "x" }] }))
      .addEdge(START, "a")
      .addConditionalEdges("a", (state) => {
        atEdge = idOf(state["messages"]);
        return "__end__";
      })
      .compile({ checkpointer: new library.MemorySaver() });
    await graph.invoke({ messages: [] }, config);
    const { values } = await graph.getState(config);
    return [typeof atEdge, atEdge === idOf(values["messages"])];
  });
  expect(seen).toEqual({ here: ["string", true], there: ["string", false] });
});
