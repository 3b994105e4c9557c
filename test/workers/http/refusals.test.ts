import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { createRuntime } from "../../../src/worker.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const graph = new StateGraph(Log)
  .addNode("node", () => ({ log: ["n"] }))
  .addEdge(START, "node")
  .addEdge("node", END)
  .compile();

beforeAll(() => deploy({ graph }));

const MAX_BODY = 10 * 1024 * 1024;
const CHECKPOINT = "01a227bd-3370-72d5-a02d-de2a632f9968";

function jsonRequest(body: BodyInit, type = "application/json"): RequestInit {
  return { method: "POST", headers: { "content-type": type }, body };
}

/** The one form that errors have. */
function errorForm(code: string) {
  const text = expect.stringMatching(/./);
  return { error: { code, message: text, details: expect.any(Object) }, message: text, detail: text };
}

interface ErrorSaid {
  readonly message: string;
  readonly details: object;
}

async function expectRefusal(
  pending: Response | Promise<Response>,
  status: number,
  code: string,
): Promise<ErrorSaid> {
  const response = await pending;
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  const body = await response.json<{ message: string; detail: string; error: ErrorSaid }>();
  expect([response.status, body]).toEqual([status, errorForm(code)]);
  expect([body.message, body.detail]).toEqual([body.error.message, body.error.message]);
  return body.error;
}

const invalidBodies: [string, unknown][] = [
  ["/invoke", { input: {}, unknown: 1 }],
  ["/invoke", { input: {}, graph: 1 }],
  ["/invoke", { input: {}, on_interrupted: "maybe" }],
  ["/invoke", { input: {}, config: [] }],
  ["/invoke", { input: {}, config: { recursion_limit: 0 } }],
  ["/invoke", { input: {}, config: { recursion_limit: 1.5 } }],
  ["/invoke", { input: {}, config: { recursion_limit: "9" } }],
  ["/invoke", { input: {}, config: { recursionLimit: 9 } }],
  ["/invoke", { input: {}, config: { configurable: [] } }],
  ["/invoke", { input: {}, config: { tags: [1] } }],
  ["/invoke", { input: {}, config: { metadata: "x" } }],
  ["/invoke", { input: {}, checkpoint_id: 1 }],
  ["/invoke", { input: {}, checkpoint_id: "" }],
  ["/invoke", { input: {}, checkpoint_id: "\ud800" }],
  ["/invoke", { input: {}, stream_mode: "values" }],
  ["/invoke", []],
  ["/invoke", "text"],
  ["/invoke", null],
  ["/stream", { input: {}, stream_mode: "everything" }],
  ["/stream", { input: {}, stream_mode: [] }],
  ["/stream", { input: {}, stream_mode: ["values", 1] }],
  ["/resume", {}],
  ["/resume", { interrupt_id: "x" }],
  ["/resume", { value: 1 }],
  ["/resume", { interrupt_id: 1, value: 1 }],
  ["/resume", { values: [] }],
  ["/resume", { values: {} }],
  ["/resume", { interrupt_id: "x", value: 1, values: {} }],
  ["/resume", { values: {}, input: {} }],
  ["/state", {}],
  ["/state", { values: {}, as_node: 1 }],
  ["/state", { values: {}, asNode: "node" }],
  ["/state", { values: {}, checkpoint_id: "" }],
];

describe("a body that is not what the route takes", () => {
  it.for(invalidBodies)("POST %s %j is refused, for a new thread and an old one", async ([path, body]) => {
    const thread = new TestThread();
    await expectRefusal(thread.post(path, body), 400, "invalid_request");
    expect(await thread.tables()).toEqual([]);

    await thread.invoke({ input: { log: [] } });
    const before = await thread.rowCounts();
    await expectRefusal(thread.post(path, body), 400, "invalid_request");
    expect(await thread.rowCounts()).toEqual(before);
  });

  it("says where it is wrong", async () => {
    const refusal = new TestThread().invoke({ input: {}, config: { tags: ["a", 1] } });
    await expect(refusal).rejects.toMatchObject({
      message: expect.stringContaining('"config.tags.1"'),
      details: { issues: [{ path: "config.tags.1", message: expect.any(String) }] },
    });
  });

  it.for(["{", "{}}", "undefined", "{'a':1}", "\u0000", '{"a":'])(
    "is refused when it is not JSON: %j",
    async (text) => {
      const thread = new TestThread();
      for (const path of ["/invoke", "/resume", "/stream", "/state"]) {
        await expectRefusal(thread.postText(path, text), 400, "invalid_json");
      }
      expect(await thread.tables()).toEqual([]);
    },
  );

  it("is refused when it is not UTF-8", async () => {
    const thread = new TestThread();
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    await expectRefusal(request(`${thread.path}/invoke`, jsonRequest(bytes)), 400, "invalid_json");
    const cut = new Uint8Array([0x22, 0xe2, 0x82]);
    await expectRefusal(request(`${thread.path}/invoke`, jsonRequest(cut)), 400, "invalid_json");
    expect(await thread.tables()).toEqual([]);
  });

  it.for([
    "text/html",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "multipart/form-data; boundary=x",
  ])("is refused as %s", async (type) => {
    const thread = new TestThread();
    const sent = request(`${thread.path}/invoke`, jsonRequest('{"input":{"log":[]}}', type));
    await expectRefusal(sent, 415, "unsupported_media_type");
    expect(await thread.tables()).toEqual([]);
  });

  it("is taken as plain text, as Studio sends it, but not of a page that may not use the server", async () => {
    const runtime = createRuntime({
      graphs: { graph },
      auth: () => ({ tenant: "", caller: "ann", scopes: ["*"] }),
      origins: ["https://studio.example.com"],
    });
    const post = async (thread: TestThread, origin: string | undefined): Promise<Response> => {
      const init = jsonRequest('{"input":{"log":[]}}', "text/plain;charset=UTF-8");
      const sent = new Request(`https://example.com${thread.path}/invoke`, init);
      if (origin !== undefined) sent.headers.set("origin", origin);
      return runtime.fetch(sent, env, createExecutionContext());
    };
    for (const origin of [undefined, "https://studio.example.com", "http://localhost:3000"])
      expect(await json(post(new TestThread(), origin))).toMatchObject({ status: "success" });
    for (const origin of ["https://evil.example.com", "null", "https://example.com.evil.com"]) {
      const thread = new TestThread();
      await expectRefusal(post(thread, origin), 415, "unsupported_media_type");
      expect(await thread.tables()).toEqual([]);
    }
  });

  it.for(["application/json; charset=utf-8", "Application/JSON", "application/vnd.api+json"])(
    "is taken as %s",
    async (type) => {
      const thread = new TestThread();
      const sent = request(`${thread.path}/invoke`, jsonRequest('{"input":{"log":[]}}', type));
      expect(await json(sent)).toMatchObject({ status: "success" });
    },
  );

  it("is refused when it is too large, whether it says so or not", async () => {
    const thread = new TestThread();
    const large = `{"input":{"log":["${"x".repeat(MAX_BODY)}"]}}`;
    await expectRefusal(thread.postText("/invoke", large), 413, "body_too_large");
    let left = 12;
    const pieces = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
        else controller.close();
      },
    });
    await expectRefusal(request(`${thread.path}/invoke`, jsonRequest(pieces)), 413, "body_too_large");
    expect(await thread.tables()).toEqual([]);
  });

  it("is refused when it is nested too deeply", async () => {
    const thread = new TestThread();
    const depth = 200_000;
    const nested = `{"input":{"log":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
    await expectRefusal(thread.postText("/invoke", nested), 400, "invalid_request");
    expect(await thread.tables()).toEqual([]);
  });
});

describe("a thread that is not there", () => {
  const calls: [string, string, unknown?][] = [
    ["POST", "/invoke", {}],
    ["POST", "/invoke", { input: null }],
    ["POST", "/invoke", { input: { log: [] }, checkpoint_id: CHECKPOINT }],
    ["POST", "/stream", {}],
    ["POST", "/resume", { interrupt_id: "0".repeat(32), value: 1 }],
    ["POST", "/resume", { values: { ["0".repeat(32)]: 1 } }],
    ["POST", "/state", { values: { log: [] } }],
    ["GET", "/state"],
    ["GET", `/state/${CHECKPOINT}`],
    ["GET", "/history"],
    ["DELETE", ""],
  ];

  it.for(calls)("is not found and not made by %s %s %j", async ([method, path, body]) => {
    const thread = new TestThread();
    const init = body === undefined ? { method } : jsonRequest(JSON.stringify(body));
    await expectRefusal(request(`${thread.path}${path}`, init), 404, "thread_not_found");
    expect(await thread.tables()).toEqual([]);
    expect(await thread.alarm()).toBeNull();
  });

  it("is not made by a run of a graph that is not there, or that cannot take the input", async () => {
    const thread = new TestThread();
    for (const name of ["zzz", "", "constructor", "__proto__"]) {
      await expect(thread.invoke({ input: { log: [] }, graph: name })).rejects.toMatchObject({
        status: 404,
        code: "unknown_graph",
        details: { graph: name },
      });
    }
    for (const input of ["text", 1, true]) {
      await expect(thread.invoke({ input })).rejects.toMatchObject({ status: 400 });
    }
    expect(await thread.tables()).toEqual([]);
  });
});

describe("a path, a method or a query that is not there", () => {
  it.for([
    ["GET", "/"],
    ["POST", "/threads/x/nothing"],
    ["GET", "/threads/x/state/y/z"],
    ["POST", "/threads/x/invoke/"],
    ["POST", "//threads/x/invoke"],
    ["POST", "/threads/a/b/invoke"],
  ])("%s %s, and the answer says what there is", async ([method = "", path = ""]) => {
    const error = await expectRefusal(request(path, { method }), 404, "not_found");
    expect(error.details).toMatchObject({
      routes: expect.arrayContaining(["POST /threads/:thread_id/invoke"]),
    });
    expect(error.message).toMatch(/details\.routes/);
    expect(error.message.length).toBeLessThan(100);
  });

  it.for([
    ["GET", "/threads", "POST"],
    ["GET", "/threads/x/invoke", "POST"],
    ["PUT", "/threads/x/state", "GET, PATCH, POST"],
    ["POST", "/threads/x", "DELETE, GET, PATCH"],
    ["PUT", "/threads/x/history", "GET, POST"],
    ["DELETE", "/threads/x/state", "GET, PATCH, POST"],
    ["POST", "/threads/x/state/y", "GET"],
  ])("%s %s is answered with the methods that there are", async ([method = "", path = "", allow = ""]) => {
    const response = await request(path, { method });
    expect(response.headers.get("allow")).toBe(allow);
    await expectRefusal(response, 405, "method_not_allowed");
  });

  it("names an unknown key, and the known ones", async () => {
    const thread = new TestThread();
    const body = JSON.stringify({ inputs: {} });
    const headers = { "content-type": "application/json" };
    const error = await expectRefusal(
      request(`${thread.path}/invoke`, { method: "POST", body, headers }),
      400,
      "invalid_request",
    );
    expect(error.message).toMatch(/"inputs".*unknown key.*input/);
  });

  it.for(["limit=0", "limit=-1", "limit=x", "limit=1001", "limit=", "limit=1.5", "before=", "limt=5"])(
    "history?%s is refused",
    async (query) => {
      const thread = new TestThread();
      await expectRefusal(request(`${thread.path}/history?${query}`), 400, "invalid_request");
    },
  );

  it("a checkpoint that is not there", async () => {
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    for (const id of [CHECKPOINT, "zzz", "%00", "%zz", "__proto__"]) {
      await expectRefusal(request(`${thread.path}/state/${id}`), 404, "checkpoint_not_found");
    }
    const before = request(`${thread.path}/history?before=${CHECKPOINT}`);
    await expectRefusal(before, 404, "checkpoint_not_found");
  });

  it("a parameter that the route does not have", async () => {
    const { path } = new TestThread();
    await expectRefusal(request(`${path}/state?checkpoint_id=${CHECKPOINT}`), 400, "invalid_request");
    await expectRefusal(request(`${path}/state/${CHECKPOINT}?limit=1`), 400, "invalid_request");
  });
});
