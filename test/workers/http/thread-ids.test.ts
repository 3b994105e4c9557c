import { beforeAll, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread, type RunAnswer } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const graph = new StateGraph(Log)
  .addNode("node", () => ({ log: ["n"] }))
  .addEdge(START, "node")
  .addEdge("node", END)
  .compile();

beforeAll(() => deploy({ graph }));

const ids = [
  "plain",
  "PLAIN",
  "with space",
  "a/b",
  "a%2Fb",
  "a%252Fb",
  "100%",
  "100%25",
  "+",
  "%20",
  "?q=1",
  "#hash",
  "émoji 🙂",
  "e\u0301moji",
  "日本語",
  "\u202eright to left",
  "__proto__",
  "constructor",
  "toString",
  "...",
  ".hidden",
  "..%2f..",
  '["","plain"]',
  "a:b;c,d",
  "'\"<>`{}|\\^",
  "x".repeat(256),
  "🙂".repeat(64),
];

describe("thread ids", () => {
  it("are exact: each one is a thread of its own, and comes back as it was sent", async () => {
    for (const id of ids) {
      const answer = await new TestThread(id).invoke({ input: { log: [id] } });
      expect([answer.thread_id, answer.values]).toEqual([id, { log: [id, "n"] }]);
    }
    for (const id of ids) {
      const state = await new TestThread(id).state();
      expect([state.checkpoint.thread_id, state.values]).toEqual([id, { log: [id, "n"] }]);
    }
  });

  it("are the same however their characters are escaped", async () => {
    const answer = (await json(
      request("/threads/%65scaped!/invoke", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"input":{"log":["x"]}}',
      }),
    )) as RunAnswer;
    expect(answer.thread_id).toBe("escaped!");
    expect((await new TestThread("escaped!").state()).values).toEqual({ log: ["x", "n"] });
    expect(await json(request("/threads/escaped%21/state"))).toEqual(
      await new TestThread("escaped!").state(),
    );
  });

  it.for([
    ["a control character", "a%00b"],
    ["a line break", "a%0Ab"],
    ["a control character of Latin-1", "a%C2%85b"],
    ["delete", "%7F"],
    ["more than 256 bytes", "x".repeat(257)],
    ["more than 256 bytes of UTF-8", encodeURIComponent("🙂".repeat(65))],
    ["half of an escape", "a%2"],
    ["no escape", "a%zzb"],
    ["bytes that are not UTF-8", "%FF"],
    ["half of a surrogate pair", "%ED%A0%80"],
  ])("cannot hold %s", async ([, encoded = ""]) => {
    for (const [method, path] of [
      ["GET", "/state"],
      ["GET", "/history"],
      ["POST", "/invoke"],
      ["DELETE", ""],
    ] as const) {
      await expect(json(request(`/threads/${encoded}${path}`, { method }))).rejects.toMatchObject({
        status: 400,
        code: "invalid_thread_id",
      });
    }
  });

  it("cannot hold half of a surrogate pair where they are given in a body", async () => {
    const headers = { "content-type": "application/json" };
    const made = request("/threads", { method: "POST", headers, body: '{"thread_id":"\\ud800x"}' });
    await expect(json(made)).rejects.toMatchObject({ status: 400, code: "invalid_thread_id" });
  });

  it.for([".", "..", "%2e", "%2E%2e", ""])("cannot be %j", async (encoded) => {
    await expect(json(request(`/threads/${encoded}/state`))).rejects.toMatchObject({
      status: expect.toSatisfy((status) => [400, 404, 405].includes(status)),
      // Clients make "/threads/./state" the thread "state" by themselves.
      code: expect.stringMatching(/^(invalid_thread_id|not_found|method_not_allowed|thread_not_found)$/),
    });
  });
});
