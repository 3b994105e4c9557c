import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DirectoryApi } from "../../../src/directory/protocol.ts";
import { type CallShard, TenantDirectory } from "../../../src/directory/tenant-directory.ts";
import { DRAFT } from "../../../src/draft-version.ts";
import { END, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { createRuntime } from "../../../src/worker.ts";
import { Log } from "../../support/log.ts";
import { threadEntry } from "../../support/thread-entry.ts";
import { json } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const graph = new StateGraph(Log)
  .addNode("note", () => ({ log: ["noted"] }))
  .addEdge(START, "note")
  .addEdge("note", END)
  .compile();

/** As the test worker has them. */
const SHARDS = 2;

beforeAll(() => {
  deploy({ graph });
  announcing.isOn = true;
});
afterAll(() => {
  announcing.isOn = false;
});

/** A server of a tenant of its own; `threads` finds its objects. */
function serverOf(tenant: string, threads: unknown = env.THREAD, report?: (fault: unknown) => void) {
  const auth = () => ({ tenant, caller: "", scopes: ["*"] });
  const runtime = createRuntime({
    graphs: { graph },
    directory: { shards: SHARDS },
    auth,
    ...(report && { report }),
  });
  return (path: string, body: unknown): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const request = new Request(`http://localhost${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return json(runtime.fetch(request, { ...env, THREAD: threads }, createExecutionContext()));
  };
}

function directoryOf(tenant: string): DirectoryApi {
  const shards = Array.from({ length: SHARDS }, (_, index): CallShard => {
    const stub = env.DIRECTORY.getByName(JSON.stringify([tenant, index]));
    return (call) => call(stub as unknown as DirectoryApi);
  });
  return new TenantDirectory(shards);
}

const SELECTED = { select: ["thread_id"], sort_by: "thread_id", sort_order: "asc" };

it("a search shows a thread that is made, and none of which there is only a draft, whatever is selected", async () => {
  const tenant = crypto.randomUUID();
  const post = serverOf(tenant);
  const draft = threadEntry("a ghost", { version: DRAFT });
  const objectId = env.THREAD.idFromName(objectName(tenant, draft.threadId)).toString();
  await directoryOf(tenant).putThread(draft, { within: 60_000, objectId });
  for (const id of ["b", "c"]) await post("/threads", { thread_id: id });
  expect(await post("/threads/search", SELECTED)).toEqual([{ thread_id: "b" }, { thread_id: "c" }]);
  expect(await post("/threads/search", {})).toHaveLength(2);
  await post("/threads", { thread_id: draft.threadId });
  expect(await post("/threads/search", SELECTED)).toHaveLength(3);
});

it("a search shows what the directory knows of a thread whose object throws, and the others whole", async () => {
  const tenant = crypto.randomUUID();
  const damaged = new Error("damaged");
  const threads = {
    getByName: (name: string) =>
      name === objectName(tenant, "b")
        ? { getThread: () => Promise.reject(damaged) }
        : env.THREAD.getByName(name),
  };
  for (const id of ["a", "b"]) await serverOf(tenant)(`/threads/${id}/invoke`, { input: { log: [] } });
  const reported: unknown[] = [];
  const post = serverOf(tenant, threads, (fault) => reported.push(fault));
  expect(await post("/threads/search", { sort_by: "thread_id", sort_order: "asc" })).toMatchObject([
    { thread_id: "a", values: { log: ["noted"] } },
    { thread_id: "b", values: null, error: { code: "internal" } },
  ]);
  expect(reported).toEqual([damaged]);
});
