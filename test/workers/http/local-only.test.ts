import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

beforeAll(() => {
  const graph = new StateGraph(Log)
    .addNode("node", () => ({ log: ["n"] }))
    .addEdge(START, "node")
    .addEdge("node", END)
    .compile();
  deploy({ graph });
});

const refused = { status: 403, code: "local_only" };

function allowOrigin(response: Response): string | null {
  return response.headers.get("access-control-allow-origin");
}

describe("without authentication", () => {
  it.for(["localhost", "localhost:8787", "127.0.0.1:8787", "[::1]:8787", "LOCALHOST"])(
    "%s is served",
    async (host) => {
      expect(await json(exports.default.fetch(`http://${host}/ok`))).toEqual({ ok: true });
    },
  );

  it.for(["example.com", "localhost.example.com", "127.0.0.2", "0.0.0.0", "192.168.0.1", "mylocalhost"])(
    "%s is not",
    async (host) => {
      for (const path of ["/ok", "/threads/x/state", "/nothing"]) {
        await expect(json(exports.default.fetch(`http://${host}${path}`))).rejects.toMatchObject(refused);
      }
    },
  );

  it.for(["https://example.com", "http://localhost.example.com", "null", "http://127.0.0.2", "file://"])(
    "a page of %s is not served, and changes nothing",
    async (origin) => {
      const thread = new TestThread();
      const response = await request(`${thread.path}/invoke`, {
        method: "POST",
        headers: { "content-type": "application/json", origin },
        body: '{"input":{"log":[]}}',
      });
      expect(allowOrigin(response)).toBeNull();
      await expect(json(response)).rejects.toMatchObject(refused);
      expect(await thread.tables()).toEqual([]);

      const preflight = await request(`${thread.path}/invoke`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      });
      expect([preflight.status, allowOrigin(preflight)]).toEqual([403, null]);
    },
  );

  it.for(["http://localhost:3000", "http://127.0.0.1:5173", "https://localhost", "http://[::1]:3000"])(
    "a page of %s is, and may read what comes back, errors and streams too",
    async (origin) => {
      const thread = new TestThread();
      const preflight = await request(`${thread.path}/invoke`, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
          "access-control-request-private-network": "true",
        },
      });
      expect([preflight.status, allowOrigin(preflight)]).toEqual([204, origin]);
      expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
      expect(preflight.headers.get("access-control-allow-methods")).toContain("DELETE");
      expect(preflight.headers.get("access-control-allow-headers")).toContain("content-type");
      expect(preflight.headers.get("access-control-allow-private-network")).toBe("true");
      expect(preflight.headers.get("access-control-max-age")).toBe("7200");

      const headers = { "content-type": "application/json", origin };
      const body = '{"input":{"log":[]}}';
      const stream = await request(`${thread.path}/stream`, { method: "POST", headers, body });
      expect([stream.status, allowOrigin(stream)]).toEqual([200, origin]);
      await stream.text();
      const missing = await request(`${new TestThread().path}/state`, { headers });
      expect([missing.status, allowOrigin(missing)]).toEqual([404, origin]);
      const invalid = await request(`${thread.path}/invoke`, { method: "POST", headers, body: "{" });
      expect([invalid.status, allowOrigin(invalid)]).toEqual([400, origin]);
      expect(invalid.headers.get("vary")).toMatch(/origin/i);
    },
  );

  it("what is no page is told nothing that is for pages, but no answer to it may be kept for one", async () => {
    const thread = new TestThread();
    const post = (body: string) => ({
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const answers = [
      await request(`${thread.path}/runs/wait`, post('{"input":{"log":[]}}')),
      await request(`${thread.path}/stream`, post('{"input":{"log":[]}}')),
      await request(`${thread.path}/invoke`, post("{")),
      await request(`${new TestThread().path}/state`),
      await request("/nowhere"),
      await request("/ok"),
    ];
    for (const answer of answers) {
      await answer.text();
      expect(answer.headers.get("vary")).toMatch(/origin/i);
      expect(answer.headers.has("access-control-expose-headers")).toBe(false);
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 404, 404, 200]);
  });
});
