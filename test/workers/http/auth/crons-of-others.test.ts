import { Auth } from "@langchain/langgraph-sdk/auth";
import { describe, expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../../src/index.ts";
import { langgraphAuth } from "../../../../src/langgraph-auth.ts";
import { json } from "../../../support/threads.ts";
import { crons } from "../../schedules.ts";
import { type Call, server } from "./server.ts";

interface Cron {
  readonly cron_id: string;
  readonly metadata: object;
}

const ran: unknown[] = [];
const note = new StateGraph(Annotation.Root({ by: Annotation<string>() }))
  .addNode("note", ({ by }, { configurable = {} }) => {
    ran.push([by, configurable["langgraph_auth_user_id"]]);
    return {};
  })
  .addEdge(START, "note")
  .addEdge("note", END)
  .compile();

const cron = { assistant_id: "note", schedule: "never", input: { by: "ann" } };

/** Users who share what they have, and their tokens, which are nobody else's. */
function serving(decide: (event: string, user: string) => boolean | undefined) {
  const auth = new Auth()
    .authenticate((request) => {
      const user = request.headers.get("x-api-key") ?? "";
      return { identity: user, permissions: [], token: `secret of ${user}` };
    })
    .on("*", ({ event, value, user }) => {
      if (event === "crons:create" || event === "crons:update") {
        Object.assign(value, { metadata: { ...Reflect.get(value, "metadata"), owner: user.identity } });
      }
      return decide(event, user.identity);
    });
  const call = server({ auth: langgraphAuth(auth), crons }, {}, { note });
  const as =
    (user: string) =>
    (path: string, request: Call = {}): Promise<Response> =>
      call(path, { ...request, headers: { "x-api-key": user } });
  return { ann: as("ann"), bob: as("bob") };
}

describe("a cron that somebody else changes", () => {
  it("says in its metadata only what handlers have seen", async () => {
    const { ann, bob } = serving(() => undefined);
    const { cron_id: id } = (await json(ann("/runs/crons", { body: cron }))) as Cron;
    const body = { config: { metadata: { owner: "ann", a: 1 } }, metadata: { b: 2 } };
    const patched = (await json(bob(`/runs/crons/${id}`, { method: "PATCH", body }))) as Cron;
    expect(patched.metadata).toEqual({ a: 1, b: 2, owner: "bob" });
    const kept = (await json(
      ann(`/runs/crons/${id}`, { method: "PATCH", body: { enabled: false } }),
    )) as Cron;
    expect(kept.metadata).toEqual({ a: 1, b: 2, owner: "bob" });
  });

  it("starts runs of who has said what they do, if they may start them", async () => {
    let mayRun = false;
    const { ann, bob } = serving((event, user) => user === "ann" || event !== "threads:create_run" || mayRun);
    const { cron_id: id } = (await json(ann("/runs/crons", { body: cron }))) as Cron;
    const change = { input: { by: "bob" }, schedule: "every 50" };
    const patch = (body: object) => bob(`/runs/crons/${id}`, { method: "PATCH", body });
    expect((await patch(change)).status).toBe(403);
    expect((await patch({ enabled: true })).status).toBe(200);
    mayRun = true;
    expect((await patch(change)).status).toBe(200);
    await expect.poll(() => ran.length).toBeGreaterThan(0);
    expect(ran[0]).toEqual(["bob", "bob"]);
    expect((await ann(`/runs/crons/${id}`, { method: "DELETE" })).status).toBe(204);
  });

  it("starts them without what is known of who has made it alone", async () => {
    const found: unknown[] = [];
    const look = new StateGraph(Annotation.Root({ by: Annotation<string>() }))
      .addNode("look", (_, { configurable = {} }) => {
        found.push([configurable["role"], configurable["topic"]]);
        return {};
      })
      .addEdge(START, "look")
      .addEdge("look", END)
      .compile();
    const auth = (request: Request) => {
      const caller = request.headers.get("x-api-key") ?? "";
      const known = caller === "ann" ? { configurable: { role: "admin" } } : {};
      return { tenant: "", caller, scopes: ["*"], ...known };
    };
    const call = server({ auth, crons }, {}, { look });
    const as = (user: string, path: string, request: Call) =>
      json(call(path, { ...request, headers: { "x-api-key": user } }));
    const body = { ...cron, assistant_id: "look", config: { configurable: { topic: "tea" } } };
    const { cron_id: id } = (await as("ann", "/runs/crons", { body })) as Cron;
    const change = { input: { by: "bob" }, schedule: "every 50" };
    await as("bob", `/runs/crons/${id}`, { method: "PATCH", body: change });
    await expect.poll(() => found.length).toBeGreaterThan(0);
    expect(found[0]).toEqual([undefined, "tea"]);
    await as("ann", `/runs/crons/${id}`, { method: "PATCH", body: change });
    await expect.poll(() => found.at(-1)).toEqual(["admin", "tea"]);
    await call(`/runs/crons/${id}`, { method: "DELETE", headers: { "x-api-key": "ann" } });
  });

  it("says to nobody what graphs find of who has made it", async () => {
    const { ann, bob } = serving(() => undefined);
    const id = crypto.randomUUID();
    await json(ann("/threads", { body: { thread_id: id } }));
    for (const path of ["/runs/crons", `/threads/${id}/runs/crons`]) {
      const answer = await ann(path, { body: cron });
      expect(answer.status).toBe(200);
      expect(await answer.text()).not.toContain("secret");
    }
    const found = await (await bob("/runs/crons/search", { body: { limit: 100 } })).text();
    const listed = await (await bob(`/threads/${id}/runs/crons`)).text();
    for (const told of [found, listed]) {
      expect(told).toContain('"cron_id"');
      expect(told).not.toContain("secret");
    }
  });
});
