import { describe, expect, it, vi } from "vitest";
import { toHex } from "../../../../src/hex.ts";
import { apiKeys, type ApiKey } from "../../../../src/worker.ts";
import { json } from "../../../support/threads.ts";
import { codeOf, server } from "./server.ts";

async function keyed(key: string, rest: Partial<ApiKey>): Promise<ApiKey> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return { hash: toHex(new Uint8Array(digest)), name: key, ...rest };
}

const KEYS = await Promise.all([
  keyed("acme-all", { tenant: "acme" }),
  keyed("acme-read", { tenant: "acme", scopes: ["threads:read"] }),
  keyed("acme-run", { tenant: "acme", scopes: ["threads:create_run"] }),
  keyed("acme-old", { tenant: "acme", expires_at: "2026-11-01T00:00:00Z" }),
  keyed("other", { tenant: "other" }),
]);
const NOW = Date.parse("2026-11-02T00:00:00Z");

const call = server({
  auth: apiKeys(
    () => JSON.stringify(KEYS),
    () => NOW,
  ),
});
const input = { input: { log: ["in"] } };

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

describe("API keys", () => {
  it("are taken as a bearer token and as x-api-key", async () => {
    for (const headers of [bearer("acme-all"), { "x-api-key": "acme-all" }]) {
      const response = await call(`/threads/${crypto.randomUUID()}/invoke`, { headers, body: input });
      expect(await json(response)).toMatchObject({ status: "interrupted" });
    }
  });

  it("are all compared, by the platform in a time that says nothing, whether or not one is found", async () => {
    const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
    for (const key of ["acme-all", "other", "nobody"]) {
      await call(`/threads/${crypto.randomUUID()}/state`, { headers: bearer(key) });
      expect(compare.mock.calls.splice(0)).toHaveLength(KEYS.length);
    }
    compare.mockRestore();
  });

  it("hold as long as one entry of them does", async () => {
    const entries = ["2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"].map((expires_at) =>
      keyed("renewed", { expires_at }),
    );
    const keys = await Promise.all(entries);
    const renewed = (now: number) =>
      server({
        auth: apiKeys(
          () => keys,
          () => now,
        ),
      });
    const path = `/threads/${crypto.randomUUID()}/state`;
    expect((await renewed(NOW)(path, { headers: bearer("renewed") })).status).toBe(404);
    expect((await renewed(Date.parse("2026-12-01"))(path, { headers: bearer("renewed") })).status).toBe(401);
  });

  it.for([
    {},
    bearer("nobody"),
    bearer("acme-old"),
    bearer(""),
    { authorization: "acme-all" },
    { authorization: "Basic acme-all" },
    { "x-api-key": "" },
    { "x-api-key": "acme-all, acme-all" },
    { authorization: "Bearer nobody", "x-api-key": "acme-all" },
  ])("refuse %o on every path, and say nothing of what there is", async (headers) => {
    const id = crypto.randomUUID();
    for (const path of [`/threads/${id}/invoke`, "/nothing"]) {
      const response = await call(path, { headers, body: input });
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(await codeOf(response)).toBe("unauthenticated");
    }
    const read = await call(`/threads/${id}/state`, { headers: bearer("acme-all") });
    expect(await codeOf(read)).toBe("thread_not_found");
  });

  it("let their owners do what their scopes say, and nothing else", async () => {
    const path = `/threads/${crypto.randomUUID()}`;
    const refused = await call(`${path}/invoke`, { headers: bearer("acme-read"), body: input });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      error: { code: "forbidden", details: { permission: "threads:create_run" } },
    });
    const run = await call(`${path}/invoke`, { headers: bearer("acme-run"), body: input });
    expect(run.status).toBe(200);
    const unread = await call(`${path}/state`, { headers: bearer("acme-run") });
    expect(await codeOf(unread)).toBe("forbidden");
    const read = await call(`${path}/state`, { headers: bearer("acme-read") });
    expect(await json(read)).toMatchObject({ values: { log: ["in"] } });
    const kept = await call(path, { method: "DELETE", headers: bearer("acme-read") });
    expect(await codeOf(kept)).toBe("forbidden");
  });

  it("keep tenants apart that use the same ids", async () => {
    const path = `/threads/${crypto.randomUUID()}`;
    await json(call(`${path}/invoke`, { headers: bearer("acme-all"), body: { input: { log: ["acme"] } } }));
    for (const method of ["GET", "DELETE"]) {
      const other = await call(method === "GET" ? `${path}/state` : path, {
        method,
        headers: bearer("other"),
      });
      expect(await codeOf(other)).toBe("thread_not_found");
    }
    await json(call(`${path}/invoke`, { headers: bearer("other"), body: { input: { log: ["other"] } } }));
    const states = ["acme-all", "other"].map((key) => json(call(`${path}/state`, { headers: bearer(key) })));
    expect(await Promise.all(states)).toMatchObject([
      { values: { log: ["acme"] } },
      { values: { log: ["other"] } },
    ]);
  });

  it("have keys of requests that are each caller's own", async () => {
    const path = `/threads/${crypto.randomUUID()}`;
    const runs = ["acme-all", "acme-run", "acme-all"].map(async (key) => {
      const headers = { ...bearer(key), "idempotency-key": "once" };
      const body = { ...input, on_interrupted: "discard" };
      return ((await json(call(`${path}/invoke`, { headers, body }))) as { run_id: string }).run_id;
    });
    const [first, other, again] = await Promise.all(runs);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.for([
    ["not json, secret-text", "the whole: is not JSON"],
    ['[{"name":"ci"}]', "0.hash"],
    ['[{"hash":"acme-all","name":"ci"}]', "0.hash"],
    [JSON.stringify([{ hash: "0".repeat(64), name: "ci", expires_at: "soon" }]), "0.expires_at"],
    [
      JSON.stringify([{ hash: "0".repeat(64), name: "ci", expires_at: "2020-01-01T00:00:00+05" }]),
      "0.expires_at",
    ],
  ] as const)("that cannot be read are a fault of the server: %s", async ([keys, place]) => {
    const broken = server({ auth: apiKeys(() => keys) });
    const response = await broken("/threads/x/state", { headers: bearer("acme-all") });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain(place);
    expect(text).not.toContain("secret-text");
  });
});
