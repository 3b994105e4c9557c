import { describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const graph = new StateGraph(Log)
  .addNode("n", () => ({ log: ["n"] }))
  .addEdge(START, "n")
  .addEdge("n", END)
  .compile();

describe("an edit whose reply was lost", () => {
  it("is applied once when it is repeated, also when a run came in between", async () => {
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const edit = {
      tenant: "",
      threadId: thread.id,
      editId: crypto.randomUUID(),
      values: { log: ["edit"] },
    };
    const send = async (isRepeated: boolean): Promise<unknown> => {
      const reply = await thread.stub.updateState({ ...edit, isRepeated });
      if (!("value" in reply)) throw new Error(JSON.stringify(reply));
      return new Response(reply.value).json();
    };
    const first = await send(false);
    await thread.invoke({ input: { log: ["more"] } });
    expect(await send(true)).toEqual(first);
    expect((await thread.state()).values).toEqual({ log: ["in", "n", "edit", "more", "n"] });
  });

  it("is applied when it never arrived", async () => {
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const edit = { tenant: "", threadId: thread.id, editId: crypto.randomUUID(), isRepeated: true };
    await thread.stub.updateState({ ...edit, values: { log: ["edit"] } });
    expect((await thread.state()).values).toEqual({ log: ["in", "n", "edit"] });
  });
});
