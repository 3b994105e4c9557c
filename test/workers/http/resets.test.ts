import { describe, expect, it } from "vitest";
import { createApp } from "../../../src/http/app.ts";
import type { ThreadNamespace } from "../../../src/http/thread-stub.ts";
import { Log } from "../../../src/log.ts";
import type { ThreadApi } from "../../../src/thread/protocol.ts";
import { json } from "../../support/threads.ts";

/** The router before an object that answers calls one after the other with these, whatever they ask. */
function routerBefore(answers: readonly (() => Promise<unknown>)[]) {
  const left = [...answers];
  const calls: unknown[] = [];
  const next = (...parameters: unknown[]): Promise<unknown> => {
    calls.push(parameters[0]);
    return left.shift()?.() ?? Promise.reject(new Error("The object was called once more."));
  };
  const api = { invoke: next, getState: next, deleteThread: next, updateState: next } as unknown as ThreadApi;
  const stubs: unknown[] = [];
  const namespace: ThreadNamespace = {
    getByName: () => {
      const stub = { ...api, fetch: () => expect.fail("nobody listens") };
      stubs.push(stub);
      return stub;
    },
  };
  const app = createApp({
    threads: () => namespace,
    threadById: () => () => expect.fail("no object is asked by its id"),
    rateLimiter: () => undefined,
    log: new Log({ level: "silent" }, Date.now),
    report: () => undefined,
    origins: [],
    extract: [],
    store: () => expect.fail("no store is asked"),
    graphs: {},
    directories: () => undefined,
    maxBodySize: 1000,
    reauthenticate: 300_000,
    heartbeat: 5000,
    hookKeys: () => undefined,
  });
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const init = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return json(app.request(`http://localhost/threads/x${path}`, { method, ...init }));
  };
  return { call, calls, stubs };
}

const fail = (flags: object) => () => Promise.reject(Object.assign(new Error("failed"), flags));
const reset = fail({ durableObjectReset: true });
const notFound = () =>
  Promise.resolve({
    ok: false,
    isFailed: false,
    error: { code: "thread_not_found", message: "no", details: {} },
  });
const answer = () => Promise.resolve({ ok: true, value: new Blob(['{"a":1}']).stream() });

describe("a call whose object is reset", () => {
  it("is made again of a new stub, with the same run id", async () => {
    const { call, calls, stubs } = routerBefore([reset, fail({ retryable: true }), answer]);
    expect(await call("POST", "/invoke", { input: {} })).toEqual({ a: 1 });
    expect(new Set(stubs).size).toBe(3);
    const ids = calls.map((start) => (start as { runId: string }).runId);
    expect(new Set(ids).size).toBe(1);
  });

  it("says of an edit that it is repeated", async () => {
    const { call, calls } = routerBefore([reset, answer]);
    await call("POST", "/state", { values: {} });
    expect(calls).toMatchObject([{ isRepeated: false }, { isRepeated: true }]);
    expect(new Set(calls.map((edit) => (edit as { editId: string }).editId)).size).toBe(1);
  });

  it("is made again when the answer breaks off", async () => {
    const broken = () => {
      const value = new ReadableStream({
        // All that the platform says then.
        pull: (controller) =>
          controller.error(new Error("ReadableStream received over RPC disconnected prematurely.")),
      });
      return Promise.resolve({ ok: true, value });
    };
    const { call } = routerBefore([broken, answer]);
    expect(await call("POST", "/invoke", { input: {} })).toEqual({ a: 1 });
  });

  it("fails in the end", { timeout: 20_000 }, async () => {
    const { call, calls } = routerBefore(Array.from({ length: 13 }, () => reset));
    await expect(call("GET", "/state")).rejects.toMatchObject({ status: 503, code: "thread_unavailable" });
    expect(calls).toHaveLength(12);
  });

  it("is done when it was to delete a thread that is gone since", async () => {
    expect(await routerBefore([reset, notFound]).call("DELETE", "")).toBeNull();
    await expect(routerBefore([notFound]).call("DELETE", "")).rejects.toMatchObject({ status: 404 });
  });

  it.for([{}, { retryable: true, overloaded: true }, { remote: true }])(
    "is not made again for an error with %j, which tells the client nothing",
    async (flags) => {
      const { call, calls } = routerBefore([fail(flags), answer]);
      const failure = call("POST", "/state", { values: {} });
      await expect(failure).rejects.toMatchObject({ status: 500, code: "internal", details: {} });
      expect(calls).toHaveLength(1);
    },
  );
});
