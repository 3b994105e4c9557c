import { Auth } from "@langchain/langgraph-sdk/auth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { langgraphAuth } from "../../../../src/langgraph-auth.ts";
import { END, START, StateGraph } from "../../../../src/index.ts";
import { Gate } from "../../../support/gate.ts";
import { Log } from "../../../support/log.ts";
import { json } from "../../../support/threads.ts";
import { announcing } from "../../graphs.ts";
import { codeOf, server } from "./server.ts";

beforeAll(() => {
  announcing.isOn = true;
});
afterAll(() => {
  announcing.isOn = false;
});

let gate = new Gate();
beforeEach(() => {
  gate = new Gate();
});
const slow = new StateGraph(Log)
  .addNode("wait", async () => {
    await gate.pass();
    return { log: ["done"] };
  })
  .addEdge(START, "wait")
  .addEdge("wait", END)
  .compile();

/** Everyone may do everything but this, with one thread. */
function serving(refused: string) {
  const locked = crypto.randomUUID();
  const auth = new Auth()
    .authenticate(() => ({ identity: "ann", permissions: [] }))
    .on("*", ({ event, value }) => event !== refused || Reflect.get(value, "thread_id") !== locked);
  const tenant = crypto.randomUUID();
  return { locked, call: server({ auth: langgraphAuth(auth, { tenant: () => tenant }) }, {}, { slow }) };
}

describe("handlers that decide by the thread", () => {
  it("are asked about each that is pruned, before any is", async () => {
    const { locked, call } = serving("threads:delete");
    const other = crypto.randomUUID();
    for (const id of [other, locked]) await json(call("/threads", { body: { thread_id: id } }));
    const prune = { thread_ids: [other, locked], strategy: "delete" };
    expect(await codeOf(await call("/threads/prune", { body: prune }))).toBe("forbidden");
    for (const id of [other, locked]) expect((await call(`/threads/${id}`)).status).toBe(200);
    expect((await call("/threads/prune", { body: { ...prune, thread_ids: [other] } })).status).toBe(200);
  });

  it("are asked about each that goes with its assistant", async () => {
    const { locked, call } = serving("threads:delete");
    const made = await json(call("/assistants", { body: { graph_id: "slow" } }));
    const { assistant_id: assistant } = made as { assistant_id: string };
    await json(call("/threads", { body: { thread_id: locked, metadata: { assistant_id: assistant } } }));
    await expect.poll(async () => json(call("/threads/count", { body: {} }))).toBe(1);
    const response = await call(`/assistants/${assistant}?delete_threads=true`, { method: "DELETE" });
    expect(await codeOf(response)).toBe("forbidden");
    expect((await call(`/threads/${locked}`)).status).toBe(200);
  });

  it.for(["by its name", "by its status", "by the name of its run"])(
    "are asked about each whose runs are cancelled, %s",
    async (how) => {
      const { locked, call } = serving("threads:update");
      const body = { assistant_id: "slow", input: { log: ["in"] } };
      await json(call("/threads", { body: { thread_id: locked } }));
      const started = await json(call(`/threads/${locked}/runs`, { body }));
      const { run_id: runId } = started as { run_id: string };
      await expect.poll(async () => json(call("/threads/count", { body: { status: "busy" } }))).toBe(1);
      const cancel =
        how === "by its name"
          ? { thread_id: locked, status: "all" }
          : how === "by its status"
            ? { status: "running" }
            : { thread_id: locked, run_ids: [runId] };
      expect(await codeOf(await call("/runs/cancel", { body: cancel }))).toBe("forbidden");
      expect(await json(call(`/threads/${locked}/runs/${runId}`))).toMatchObject({ status: "running" });
      gate.open();
    },
  );
});

describe("a filter of handlers", () => {
  it("says whose runs are cancelled by their status", async () => {
    const auth = new Auth()
      .authenticate((request) => ({ identity: request.headers.get("x-api-key") ?? "", permissions: [] }))
      .on("threads", ({ action, value, user }) => {
        if (action === "create" || action === "create_run") {
          Object.assign(value, { metadata: { owner: user.identity } });
        }
        return { owner: user.identity };
      });
    const asked: string[] = [];
    auth.on("threads:update", ({ value, user }) => {
      const { thread_id: id } = value as { thread_id?: string };
      if (id !== undefined) asked.push(id);
      return { owner: user.identity };
    });
    const tenant = crypto.randomUUID();
    const call = server({ auth: langgraphAuth(auth, { tenant: () => tenant }) }, {}, { slow });
    const ofAnn = crypto.randomUUID();
    const as = (user: string) => ({ headers: { "x-api-key": user } });
    await json(call("/threads", { ...as("ann"), body: { thread_id: ofAnn } }));
    const body = { assistant_id: "slow", input: { log: ["in"] } };
    await json(call(`/threads/${ofAnn}/runs`, { ...as("ann"), body }));
    const busy = { ...as("ann"), body: { status: "busy" } };
    await expect.poll(async () => json(call("/threads/count", busy))).toBe(1);
    const cancel = (user: string) => call("/runs/cancel", { ...as(user), body: { status: "all" } });
    expect((await cancel("bob")).status).toBe(204);
    expect(asked).toEqual([]);
    expect((await cancel("ann")).status).toBe(204);
    expect(asked).toEqual([ofAnn]);
    gate.open();
  });
});
