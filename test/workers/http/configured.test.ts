import { expect, it } from "vitest";
import { Annotation, type NodeConfig, START, StateGraph } from "../../../src/index.ts";
import { json, request } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const shows = new StateGraph(Annotation.Root({ seen: Annotation<Record<string, unknown>>() }))
  .addNode("show", (_, { configurable }: NodeConfig) => ({ seen: { ...configurable } }))
  .addEdge(START, "show")
  .compile();

it("tells the nodes of a platform's run which run it is, and the request's own headers", async () => {
  deploy({ shows });
  const body = {
    assistant_id: "shows",
    input: { seen: {} },
    config: { configurable: { model: "m", "x-user": "mallory" } },
  };
  const response = await request("/threads/headers/runs/wait", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-user": "ann",
      "x-api-key": "secret",
      "user-agent": "tests",
      authorization: "Bearer secret",
    },
    body: JSON.stringify(body),
  });
  const { seen } = (await json(response)) as { seen: Record<string, unknown> };
  expect(seen).toMatchObject({
    model: "m",
    "x-user": "ann",
    "user-agent": "tests",
    thread_id: "headers",
    graph_id: "shows",
    assistant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    run_id: response.headers.get("location")?.split("/")[4],
  });
  expect(JSON.stringify(seen)).not.toContain("secret");
});
