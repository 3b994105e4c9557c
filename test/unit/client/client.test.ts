import { describe, expect, it } from "vitest";
import { TidemarkClient } from "../../../src/client/index.ts";

interface Received {
  readonly url: string;
  readonly headers: Headers;
}

type Answer = (
  signal: AbortSignal | undefined,
  pass: (milliseconds: number) => void,
) => Response | Promise<Response>;

/** A client of a server that answers so, and then always as at last; time stands still but for the pauses and what answers let pass. */
function clientOf(answers: readonly [Answer, ...Answer[]], options: { silence?: number } = {}) {
  const received: Received[] = [];
  const pauses: number[] = [];
  let now = 0;
  const client = new TidemarkClient({
    url: "http://server.test/",
    apiKey: "secret",
    ...options,
    fetch: async (input, init) => {
      const answer = answers[Math.min(received.length, answers.length - 1)] ?? answers[0];
      received.push({
        url: input instanceof Request ? input.url : input.toString(),
        headers: new Headers(init?.headers),
      });
      return answer(init?.signal ?? undefined, (milliseconds) => (now += milliseconds));
    },
    environment: {
      now: () => now,
      random: () => 1,
      newKey: () => `key ${received.length}`,
      sleep: async (milliseconds) => {
        now += milliseconds;
        pauses.push(milliseconds);
      },
    },
  });
  return { client, received, pauses };
}

const refused =
  (status: number, code: string): Answer =>
  () =>
    Response.json(
      { error: { code, message: "no", details: { why: 1 } }, message: "no", detail: "no" },
      { status },
    );
const broken: Answer = () => Promise.reject(new TypeError("fetch failed"));
const served: Answer = () => Response.json({ status: "success" });

function events(...texts: readonly string[]): Answer {
  return () => {
    const headers = { "content-type": "text/event-stream", location: "/threads/t/runs/r/stream" };
    return new Response(texts.join(""), { headers });
  };
}

const event = (name: string, id: string, data: unknown = {}): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\nid: ${id}\n\n`;

async function namesOf(stream: AsyncIterable<{ readonly event: string }>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { event: name } of stream) names.push(name);
  return names;
}

describe("a call of the client", () => {
  it("is made again under the same key, after longer and longer pauses, until it is answered", async () => {
    const proxy: Answer = () => new Response("<html>", { status: 500 });
    const { client, received, pauses } = clientOf([
      broken,
      proxy,
      refused(503, "run_pending"),
      refused(409, "idempotency_key_in_use"),
      served,
    ]);
    expect(await client.thread("a/b").invoke({ input: 1 })).toEqual({ status: "success" });
    expect(pauses).toEqual([100, 200, 400, 800]);
    expect(received.map(({ url }) => url)).toEqual(
      Array.from({ length: 5 }, () => "http://server.test/threads/a%2Fb/invoke"),
    );
    expect(new Set(received.map(({ headers }) => headers.get("idempotency-key")))).toEqual(
      new Set(["key 0"]),
    );
    expect(received[0]?.headers.get("authorization")).toBe("Bearer secret");
  });

  it("is not made again when it was refused, or has failed", async () => {
    for (const [status, code] of [
      [409, "thread_busy"],
      [500, "node_failed"],
      [504, "run_timed_out"],
    ] as const) {
      const { client, received } = clientOf([refused(status, code)]);
      await expect(client.thread("t").invoke()).rejects.toMatchObject({ code, status, details: { why: 1 } });
      expect(received).toHaveLength(1);
    }
  });

  it("gives up when nothing has come of it for too long", async () => {
    const { client, pauses } = clientOf([broken]);
    await expect(client.thread("t").invoke()).rejects.toMatchObject({ code: "unreachable", status: 0 });
    expect(Math.max(...pauses)).toBe(5_000);
    const sum = pauses.reduce((total, pause) => total + pause, 0);
    expect(sum).toBeGreaterThan(60_000);
    expect(sum).toBeLessThan(66_000);
  });

  it("is made again also when it breaks after it was waited for longer than that", async () => {
    const late: Answer = (_, pass) => {
      pass(90_000);
      throw new TypeError("fetch failed");
    };
    const { client, pauses } = clientOf([late, broken, served]);
    expect(await client.thread("t").invoke({ input: 1 })).toEqual({ status: "success" });
    expect(pauses).toEqual([100, 200]);
  });

  it("brings the caller's own key and condition, and its query", async () => {
    const { client, received } = clientOf([served]);
    await client.thread("t").invoke({}, { idempotencyKey: "mine", ifMatch: "c1" });
    await client.thread("t").runs.list({ query: { limit: 2, select: ["run_id", "status"] } });
    expect(received[0]?.headers.get("idempotency-key")).toBe("mine");
    expect(received[0]?.headers.get("if-match")).toBe("c1");
    expect(received[1]?.url).toBe("http://server.test/threads/t/runs?limit=2&select=run_id&select=status");
    expect(received[1]?.headers.has("idempotency-key")).toBe(false);
  });

  it("says what a run has failed with whose values are waited for", async () => {
    const { client } = clientOf([
      () => Response.json({ __error__: { error: "Error", message: "no", code: "node_failed" } }),
    ]);
    await expect(client.thread("t").runs.join("r")).rejects.toMatchObject({
      code: "node_failed",
      message: "no",
    });
  });
});

describe("a stream of the client", () => {
  it("goes on after the last event where it has ended before the run", async () => {
    const { client, received } = clientOf([
      events(event("metadata", "0-0"), ": heartbeat\n\n", event("values", "1-0", { a: 1 }), "event: val"),
      broken,
      events(event("end", "1-1")),
    ]);
    expect(await namesOf(client.thread("t").stream())).toEqual(["metadata", "values", "end"]);
    expect(received.map(({ url }) => url.replace("http://server.test", ""))).toEqual([
      "/threads/t/stream",
      "/threads/t/runs/r/stream",
      "/threads/t/runs/r/stream",
    ]);
    expect(received.map(({ headers }) => headers.get("last-event-id"))).toEqual([null, "1-0", "1-0"]);
  });

  it("is opened anew when nothing comes any more, but not because its reader takes long", async () => {
    const silent: Answer = (signal) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode(event("metadata", "0-0")));
          signal?.addEventListener("abort", () => controller.error(signal.reason));
        },
      });
      return new Response(body, { headers: { location: "/threads/t/runs/r/stream" } });
    };
    const { client, received } = clientOf([silent, events(event("end", "1-1"))], { silence: 30 });
    const names: string[] = [];
    for await (const { event: name } of client.thread("t").stream()) {
      names.push(name);
      const before = received.length;
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(received).toHaveLength(before);
    }
    expect(names).toEqual(["metadata", "end"]);
    expect(received).toHaveLength(2);
  });

  it("is read on as long as the server is there, however long its run says nothing and whatever cuts it", async () => {
    const quiet: Answer = (_, pass) => {
      pass(70_000);
      return events(":\n\n")(_, pass);
    };
    const { client, pauses } = clientOf([
      events(event("values", "1-1")),
      quiet,
      quiet,
      quiet,
      events(event("end", "2-0")),
    ]);
    expect(await namesOf(client.thread("t").stream())).toEqual(["values", "end"]);
    expect(pauses).toEqual([100, 200, 400, 800]);
  });

  it("throws what the run has failed with", async () => {
    const failed = events(event("error", "0-0", { error: "Error", message: "no luck", code: "node_failed" }));
    const { client, received } = clientOf([failed]);
    const reading = namesOf(client.thread("t").stream());
    await expect(reading).rejects.toMatchObject({ code: "node_failed", message: "no luck" });
    expect(received).toHaveLength(1);
  });

  it("is closed by a reader that leaves", async () => {
    let isClosed = false;
    const endless: Answer = () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(event("metadata", "0-0"))),
        cancel: () => {
          isClosed = true;
        },
      });
      return new Response(body);
    };
    const { client } = clientOf([endless]);
    for await (const { event: name } of client.thread("t").stream()) {
      expect(name).toBe("metadata");
      break;
    }
    expect(isClosed).toBe(true);
  });
});
