import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createRuntime } from "../../../src/worker.ts";
import { json, request } from "../../support/threads.ts";
import { deployed } from "../graphs.ts";

/** A server whose objects are these. */
function health(path: string, bindings: object): Promise<Response> {
  const runtime = createRuntime({ graphs: deployed, report: () => undefined });
  const call = new Request(`http://localhost${path}`);
  return Promise.resolve(runtime.fetch(call, { ...env, ...bindings }, createExecutionContext()));
}

const lost = { getByName: () => ({ getThread: lose, getThreads: lose }) };

function lose(): Promise<never> {
  return Promise.reject(new Error("Network connection lost."));
}

describe("GET /ok", () => {
  it.for(["/ok", "/ok?check_db=0", "/ok?check_db=1", "/ok?check_db=true"])(
    "%s answers that the server is there",
    async (path) => {
      expect(await json(request(path))).toEqual({ ok: true });
    },
  );

  it("does not look at the objects unless it is asked to", async () => {
    expect((await health("/ok", { THREAD: lost, DIRECTORY: lost })).status).toBe(200);
  });

  it.for([
    [{ THREAD: lost }, 500, "internal"],
    [{ DIRECTORY: lost }, 503, "directory_unavailable"],
  ] as const)("says what is not reached: %j", async ([bindings, status, code]) => {
    const response = await health("/ok?check_db=1", bindings);
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
  });

  it("takes no other words", async () => {
    await expect(json(request("/ok?check_db=maybe"))).rejects.toThrow("invalid_request");
  });
});
