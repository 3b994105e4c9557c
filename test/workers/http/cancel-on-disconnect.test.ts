import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { createRuntime, type Principal } from "../../../src/worker.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, type RunAnswer, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const HEARTBEAT = 50;
/** After which a client that is gone has been noticed: a body that is waited for gets a byte each second. */
const NOTICED = 2500;

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  alice: { tenant: "", caller: "alice", scopes: ["*"] },
  bob: { tenant: "", caller: "bob", scopes: ["threads:create_run", "threads:read"] },
};

/** A thread whose question is open; its answer leads to the gate. */
async function asked() {
  const gate = new Gate();
  const graph = new StateGraph(Log)
    .addNode("ask", () => ({ log: [String(interrupt("Name?"))] }))
    .addNode("work", async () => {
      await gate.pass();
      return { log: ["done"] };
    })
    .addEdge(START, "ask")
    .addEdge("ask", "work")
    .addEdge("work", END)
    .compile();
  deploy({ graph });
  const thread = new TestThread();
  const runtime = createRuntime({
    graphs: { graph },
    auth: (sent) => PRINCIPALS[sent.headers.get("x-key") ?? ""],
    events: { heartbeat: HEARTBEAT },
  });
  const post = async (
    who: string,
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    runtime.fetch(
      new Request(`https://example.com${thread.path}${path}`, {
        method: "POST",
        headers: { "x-key": who, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
      env,
      createExecutionContext(),
    );
  const paused = (await json(post("alice", "/invoke", { input: { log: [] } }))) as RunAnswer;
  const command = { resume: { [paused.interrupts[0]?.id ?? ""]: "Ann" } };
  const statusOf = async (runId: string): Promise<string> =>
    ((await thread.get(`/runs/${runId}`)) as { status: string }).status;
  return { gate, post, statusOf, body: { command, on_disconnect: "cancel" } };
}

const idOf = (response: Response): string =>
  response.headers.get("content-location")?.split("/").at(-1) ?? "";

describe.each(["/runs/wait", "/runs/stream"])("who leaves %s with on_disconnect", (path) => {
  it("does not cancel the run of another who has given the same answer", async () => {
    const { gate, post, statusOf, body } = await asked();
    const { run_id: id } = (await json(post("alice", "/runs", body))) as { run_id: string };
    await gate.reached();
    for (const headers of [{}, { "idempotency-key": "bobs" }]) {
      const same = await post("bob", path, body, headers);
      expect(idOf(same)).toBe(id);
      await same.body?.cancel();
    }
    await scheduler.wait(NOTICED);
    expect(await statusOf(id)).toBe("running");
    gate.open();
  });

  it("cancels the run that the same call with its key has started before", async () => {
    const { gate, post, statusOf, body } = await asked();
    const headers = { "idempotency-key": "k" };
    const first = await post("bob", path, body, headers);
    await gate.reached();
    const second = await post("bob", path, body, headers);
    expect(idOf(second)).toBe(idOf(first));
    await second.body?.cancel();
    await until(async () => (await statusOf(idOf(first))) === "interrupted");
    gate.open();
    await first.body?.cancel();
  });
});
