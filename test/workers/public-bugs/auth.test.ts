import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request } from "../../support/threads.ts";
import { answerLink, ToldThread } from "../../support/told-thread.ts";
import { codeOf, server } from "../http/auth/server.ts";
import { deploy } from "../graphs.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: authentication. */

const SECRET = "s3cr3t-of-the-context";

function latin1(bytes: ArrayBuffer | undefined): string {
  return new TextDecoder("latin1").decode(bytes);
}

/** Every text and all bytes that the thread keeps: in its tables and in the bucket. */
async function kept(thread: ToldThread): Promise<string> {
  const texts: string[] = [];
  for (const table of await thread.tables()) {
    for (const row of await thread.sql(`SELECT * FROM ${table}`)) {
      for (const value of Object.values(row)) {
        texts.push(value instanceof ArrayBuffer ? latin1(value) : String(value));
      }
    }
  }
  for (const key of await thread.objects()) {
    texts.push(key, latin1(await (await env.BLOBS.get(key))?.arrayBuffer()));
  }
  return texts.join("\n");
}

it("AUT-05: what a context holds is in the row of its run while that goes on, and nowhere else", async () => {
  const gate = new Gate();
  const seen: unknown[] = [];
  const graph = new StateGraph(Log)
    .addNode("use", async (_, { context }) => {
      seen.push(context);
      await gate.pass();
      return { log: ["used"] };
    })
    .addNode("ask", () => ({ log: [interrupt<string, string>("?")] }))
    .addEdge(START, "use")
    .addEdge("use", "ask")
    .addEdge("ask", END)
    .compile();
  deploy({ graph });
  const thread = new ToldThread();
  const told: string[] = [];
  const tell = async (response: Response): Promise<void> => {
    told.push(latin1(await response.arrayBuffer()), JSON.stringify([...response.headers]));
  };
  const body = {
    input: { log: [] },
    context: { apiKey: SECRET },
    config: { configurable: { token: SECRET } },
    stream_mode: ["values", "updates", "debug", "tasks", "checkpoints"],
    webhook: thread.webhook(),
  };
  const streamed = thread.post("/stream", body);
  await gate.reached();
  expect((await kept(thread)).split(SECRET)).toHaveLength(3);
  gate.open();
  await tell(await streamed);
  expect(seen).toEqual([{ apiKey: SECRET }]);
  const link = await thread.link();
  await json(answerLink(link, "yes"));
  await thread.messages(2);
  const [run] = (await thread.get("/runs")) as { run_id: string }[];
  const paths = [
    "",
    "/state?subgraphs=true",
    "/history",
    "/runs",
    `/runs/${run?.run_id}`,
    "/deliveries",
    "/export",
  ];
  for (const path of paths) await tell(await request(`${thread.path}${path}`));
  told.push(JSON.stringify(await thread.received()));
  told.push(await kept(thread));
  expect(told.join("\n")).toContain("used");
  expect(told.filter((text) => text.includes(SECRET))).toEqual([]);
});

describe("AUT-07: a star in the place of an id", () => {
  it.for(["*", "%2A", "?*", "%3F%2A", "%25", "_"])("%s names one thread, and deletes none", async (star) => {
    const call = server({
      auth: (incoming) => ({ tenant: incoming.headers.get("x-org") ?? "", caller: "ann", scopes: ["*"] }),
    });
    const id = crypto.randomUUID();
    for (const tenant of ["a", "b"]) {
      const headers = { "x-org": tenant };
      await json(call(`/threads/${id}/invoke`, { headers, body: { input: { log: [] } } }));
    }
    const headers = { "x-org": "a" };
    const answer = await call(`/threads/${star}`, { method: "DELETE", headers });
    expect([404, 422]).toContain(answer.status);
    expect(await codeOf(answer)).toMatch(/not_found|invalid/);
    for (const tenant of ["a", "b"]) {
      const state = await call(`/threads/${id}/state`, { headers: { "x-org": tenant } });
      expect(state.status).toBe(200);
    }
  });
});
