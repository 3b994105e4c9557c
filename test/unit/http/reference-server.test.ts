import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { RefusedError } from "../../../src/errors.ts";
import { errorHandler } from "../../../src/http/errors.ts";
import { plainErrors } from "../../../src/http/middleware/plain-errors.ts";
import { withoutUnknownInput } from "../../../src/http/requests/unknown-input.ts";
import { Annotation, START, StateGraph } from "../../../src/index.ts";

describe("errors as text", () => {
  const app = new Hono().use(plainErrors);
  app.onError(errorHandler(() => undefined));
  app.get("/fine", (context) => context.json({ error: false }));
  app.get("/:path/:code", (context) => {
    const details = { thread_id: "t", assistant_id: "a" };
    throw new RefusedError(context.req.param("code"), "In our words.", { details });
  });

  it.each([
    ["/threads/thread_not_found", 404, "Thread with ID t not found"],
    ["/assistants/assistant_not_found", 404, "Assistant not found"],
    ["/runs/assistant_not_found", 404, /^No assistant found for "a"/],
    ["/runs/run_not_found", 404, "Run not found"],
    ["/threads/thread_exists", 409, "Thread already exists"],
    ["/runs/invalid_request", 400, "In our words."],
  ])("has the reference server's words where it has some: %s", async (path, status, words) => {
    const response = await app.request(path);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      status,
      "text/plain; charset=utf-8",
    ]);
    expect(await response.text()).toMatch(words);
  });

  it("leaves everything else as it is", async () => {
    expect(await (await app.request("/fine")).json()).toEqual({ error: false });
  });
});

describe("an input that has no key of the state", () => {
  const graph = new StateGraph(Annotation.Root({ text: Annotation<string>() }))
    .addNode("rest", () => ({}))
    .addEdge(START, "rest")
    .compile();
  const taken = (value: unknown) => {
    const input = { kind: "input", value } as const;
    return withoutUnknownInput(graph, { input, config: {}, onInterrupted: "discard", modes: [] }).input;
  };

  it("counts as an empty one, and no other does", () => {
    expect(taken({ messages: [] })).toEqual({ kind: "input", value: {} });
    expect(taken({ text: "a", messages: [] })).toEqual({ kind: "input", value: { text: "a", messages: [] } });
    expect(taken("text")).toEqual({ kind: "input", value: "text" });
  });
});
