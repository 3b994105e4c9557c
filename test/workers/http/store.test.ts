import { beforeAll, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const remembering = new StateGraph(Log)
  .addNode("remember", async ({ log: [user = ""] }, { store }) => {
    const known = await store?.get(["users", user], "visits");
    const visits = Number(known?.value["count"] ?? 0) + 1;
    await store?.put(["users", user], "visits", { count: visits });
    return { log: [`visit ${visits}`] };
  })
  .addEdge(START, "remember")
  .addEdge("remember", END)
  .compile();

beforeAll(() => {
  announcing.isOn = true;
  deploy({ remembering });
  return () => {
    announcing.isOn = false;
  };
});

function send(method: string, path: string, body?: unknown): Promise<unknown> {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return json(request(`/store${path}`, { method, ...init }));
}

describe("the store", () => {
  it("is what graphs remember by across threads, and what can be read beside them", async () => {
    const user = crypto.randomUUID();
    const visit = async () => (await new TestThread().invoke({ input: { log: [user] } })).values["log"];
    expect(await visit()).toEqual([user, "visit 1"]);
    expect(await visit()).toEqual([user, "visit 2"]);
    const item = await send("GET", `/items?namespace=users.${user}&key=visits`);
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(item).toEqual({
      namespace: ["users", user],
      key: "visits",
      value: { count: 2 },
      created_at: time,
      updated_at: time,
    });
    await send("PUT", "/items", { namespace: ["users", user], key: "visits", value: { count: 9 } });
    expect(await visit()).toEqual([user, "visit 10"]);
    const found = { namespace_prefix: ["users", user], filter: { count: { $gte: 10 } } };
    expect(await send("POST", "/items/search", found)).toMatchObject({ items: [{ value: { count: 10 } }] });
    expect(await send("POST", "/namespaces", { prefix: ["users", user] })).toEqual({
      namespaces: [["users", user]],
    });
    await send("DELETE", "/items", { namespace: ["users", user], key: "visits" });
    expect(await send("GET", `/items?namespace=users.${user}&key=visits`)).toBeNull();
  });

  it.for([
    ["PUT", "/items", { namespace: ["a.b"], key: "k", value: {} }, "invalid_namespace"],
    ["PUT", "/items", { namespace: [], key: "k", value: {} }, "invalid_namespace"],
    ["PUT", "/items", { namespace: ["a"], key: "k", value: [] }, "invalid_request"],
    ["PUT", "/items", { namespace: ["a"], key: "", value: {} }, "invalid_request"],
    ["GET", "/items?key=k", undefined, "invalid_namespace"],
    ["POST", "/items/search", { filter: { a: { $near: 1 } } }, "invalid_filter"],
    ["POST", "/items/search", { limit: 0 }, "invalid_request"],
    ["POST", "/namespaces", { max_depth: 0 }, "invalid_request"],
  ] as const)("refuses %s %s with %o", async ([method, path, body, code]) => {
    if (code === "invalid_filter")
      await send("PUT", "/items", { namespace: ["some"], key: "k", value: { a: 1 } });
    await expect(send(method, path, body)).rejects.toMatchObject({ status: 400, code });
  });
});
