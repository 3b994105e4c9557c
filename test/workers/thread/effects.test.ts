import { describe, expect, it } from "vitest";
import { durableFetch, END, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { course, plan } from "../../support/crash-points.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { ToldThread } from "../../support/told-thread.ts";
import { deploy } from "../graphs.ts";

/** Pays twice in one node and waits at the gate; notes the key that each attempt of the node gets. */
function paying(thread: ToldThread, behaviour: string) {
  const gate = new Gate();
  const keys: unknown[] = [];
  const graph = new StateGraph(Log)
    .addNode("pay", async (_, { executionInfo }) => {
      keys.push(executionInfo?.effectKey);
      const statuses: string[] = [];
      for (const body of ["10", "20"]) {
        const response = await durableFetch(thread.webhook(behaviour), { method: "POST", body });
        statuses.push(`${body}: ${response.status}`);
      }
      await gate.pass();
      return { log: statuses };
    })
    .addEdge(START, "pay")
    .addEdge("pay", END)
    .compile();
  deploy({ graph });
  return { gate, keys };
}

/** What the other side has got: the key and the body of each request. */
async function requests(thread: ToldThread): Promise<readonly (readonly [key: string, body: string])[]> {
  return (await thread.received()).map(({ headers, body }) => [headers["idempotency-key"] ?? "", body]);
}

describe("a node whose object is reset", () => {
  it("gets the answers that it had, and calls nobody again; its own key stays the same", async () => {
    const thread = new ToldThread();
    const { gate, keys } = paying(thread, "ok");
    const call = thread.invoke({ input: { log: [] } });
    for (let reset = 1; reset <= 3; reset++) {
      await gate.reached(reset);
      await thread.crash();
    }
    gate.open();
    expect((await call).values).toEqual({ log: ["10: 204", "20: 204"] });
    const sent = await requests(thread);
    expect(sent.map(([, body]) => body)).toEqual(["10", "20"]);
    expect(new Set(sent.map(([key]) => key)).size).toBe(2);
    expect(keys.length).toBeGreaterThanOrEqual(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toEqual(expect.any(String));
  });

  it("before an answer was stored calls once more, with the same key", async () => {
    const thread = new ToldThread();
    const { gate } = paying(thread, "ok");
    gate.open();
    // The first that is written is the input.
    const name = objectName("", thread.id);
    plan(name, { point: "run.task_written", time: 2, loss: "lost" });
    const { values } = await thread.invoke({ input: { log: [] } });
    expect(course(name).isOver).toBe(true);
    expect(values).toEqual({ log: ["10: 204", "20: 204"] });
    const sent = await requests(thread);
    expect(sent.map(([, body]) => body)).toEqual(["10", "10", "20"]);
    expect(sent[0]?.[0]).toBe(sent[1]?.[0]);
    expect(sent[2]?.[0]).not.toBe(sent[0]?.[0]);
  });
});
