import { describe, expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../src/index.ts";
import { relay } from "../../../src/http/streams/relay.ts";
import type { ThreadNamespace } from "../../../src/http/thread-stub.ts";
import type { ByteStream, Reply, RunEvents } from "../../../src/thread/protocol.ts";
import { allEvents } from "../../support/events.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** A stream of these pieces that then ends, or breaks off. */
function piecesOf(pieces: readonly string[], isBrokenOff = false): ByteStream {
  const encoder = new TextEncoder();
  const left = [...pieces];
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(encoder.encode(piece));
      else if (isBrokenOff)
        controller.error(new Error("ReadableStream received over RPC disconnected prematurely."));
      else controller.close();
    },
  });
}

const namespace = { getByName: () => ({}) } as unknown as ThreadNamespace;
const object = { namespace, name: "thread" };
const waitUntil = (): void => undefined;

/** What a client gets of a first stream, and of those that the object answers with when it is asked again. */
function relayed(first: ByteStream, again: readonly (() => Promise<Reply<RunEvents>>)[] = []): Response {
  const answers = [...again];
  const attach = (): Promise<Reply<RunEvents>> => {
    const answer = answers.shift();
    if (answer === undefined) throw new Error("The object was asked once more.");
    return answer();
  };
  return new Response(relay({ ...object, first: eventsOf(first), attach }, { heartbeat: 60_000, waitUntil }));
}

let disposed = 0;

/** As a thread object answers with them. */
function eventsOf(events: ByteStream): RunEvents {
  return { runId: "r", events, reader: { [Symbol.dispose]: () => void (disposed += 1) } };
}

const ok = (events: ByteStream) => () => Promise.resolve({ ok: true, value: eventsOf(events) } as const);

describe("passing on the events of a run", () => {
  it("keeps every byte, however the stream is cut", async () => {
    const text = 'event: a\ndata: "é\\n"\n\nevent: b\ndata: 2\n\n';
    for (let size = 1; size <= text.length; size += 3) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      );
      expect(await relayed(piecesOf(pieces)).text()).toBe(text);
    }
  });

  it("goes on with the next instance, and drops what was cut off", async () => {
    const first = piecesOf(["event: a\ndata: 1\n\nevent: b\nda", "ta: [1"], true);
    const second = piecesOf(["event: b\ndata: [2]\n\n", "event: c\n"], true);
    const third = piecesOf(["event: end\ndata: 3\n\n"]);
    expect(await allEvents(relayed(first, [ok(second), ok(third)]))).toEqual([
      { event: "a", data: 1 },
      { event: "b", data: [2] },
      { event: "end", data: 3 },
    ]);
  });

  it("ends with an error when the run is gone", async () => {
    const error = { code: "thread_deleted", message: "gone", details: {} };
    const refused = () => Promise.resolve({ ok: false, isFailed: false, error } as const);
    expect(await allEvents(relayed(piecesOf([], true), [refused]))).toMatchObject([
      { event: "error", data: { error, message: "gone", detail: "gone" } },
    ]);
  });

  it("ends with an error when the object is reset again and again", { timeout: 20_000 }, async () => {
    const reset = () => Promise.reject(Object.assign(new Error("reset"), { durableObjectReset: true }));
    const resets = Array.from({ length: 12 }, () => reset);
    expect(await allEvents(relayed(piecesOf([], true), resets))).toMatchObject([
      { event: "error", data: { error: { code: "thread_unavailable" } } },
    ]);
  });

  it("breaks off when something else is wrong", async () => {
    const broken = () => Promise.reject(new TypeError("oh"));
    await expect(relayed(piecesOf([], true), [broken]).text()).rejects.toThrow();
  });

  it("stops reading when the client has gone, also when nothing comes", async () => {
    let cancelled = 0;
    disposed = 0;
    const silent = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled += 1) });
    const endless = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await scheduler.wait(1);
        controller.enqueue(new TextEncoder().encode("event: a\ndata: 1\n\n"));
      },
      cancel: () => void (cancelled += 1),
    });
    const attach = () => Promise.reject(new Error("The object was asked again."));
    const works: Promise<unknown>[] = [];
    for (const [first, heartbeat] of [
      [endless, 60_000],
      [silent, 5],
    ] as const) {
      const options = { heartbeat, waitUntil: (work: Promise<unknown>) => void works.push(work) };
      const reader = relay({ ...object, first: eventsOf(first), attach }, options).getReader();
      await reader.read();
      await reader.cancel();
    }
    // So long the request outlives its client.
    await Promise.all(works);
    expect(cancelled).toBe(2);
    expect(disposed).toBe(2);
  });

  it("leaves the next instance, too, when the client has gone meanwhile", async () => {
    disposed = 0;
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const attach = async (): Promise<Reply<RunEvents>> => {
      ask();
      await gone;
      return ok(new ReadableStream())();
    };
    const works: Promise<unknown>[] = [];
    const options = { heartbeat: 5, waitUntil: (work: Promise<unknown>) => void works.push(work) };
    const body = relay({ ...object, first: eventsOf(piecesOf([], true)), attach }, options);
    const reader = body.getReader();
    await asked;
    await reader.read();
    await reader.cancel();
    await scheduler.wait(50);
    leave();
    await Promise.all(works);
    expect(disposed).toBe(2);
  });

  it("goes on after the last event that it has passed on", async () => {
    const asked: (string | undefined)[] = [];
    const pieces = [
      [],
      ["event: a\ndata: 1\nid: 1-1\n\nevent: b\ndata: 2\nid: 1-2\n\neve"],
      ["event: c\ndata: 3\nid: 1-", "3\n", "\nevent: d\nda"],
      ["event: end\ndata: 4\nid: 2-1\n\n"],
    ].map((texts, n) => piecesOf(texts, n < 3));
    const [first = piecesOf([]), ...others] = pieces;
    const attach = (_: unknown, after: string | undefined): Promise<Reply<RunEvents>> => {
      asked.push(after);
      return ok(others.shift() ?? piecesOf([]))();
    };
    const body = relay(
      { ...object, first: eventsOf(first), after: "0-0", attach },
      { heartbeat: 60_000, waitUntil },
    );
    expect((await allEvents(new Response(body))).map(({ data }) => data)).toEqual([1, 2, 3, 4]);
    expect(asked).toEqual(["0-0", "1-2", "1-3"]);
  });

  it("sends comments at a steady pace, between events only, until the stream ends", async () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const first = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own) });
    const attach = () => Promise.reject(new Error("The object was asked again."));
    const text = new Response(
      relay({ ...object, first: eventsOf(first), attach }, { heartbeat: 20, waitUntil }),
    ).text();
    const say = (said: string) => controller?.enqueue(new TextEncoder().encode(said));
    await scheduler.wait(70);
    say("event: a\nda");
    await scheduler.wait(50);
    say("ta: 1\n\n");
    say("event: end\ndata: 2\n\n");
    controller?.close();
    const parts = (await text).split(": heartbeat\n\n");
    expect(parts.length - 1).toBeGreaterThanOrEqual(3);
    expect(parts.length - 1).toBeLessThanOrEqual(6);
    expect(parts.join("")).toBe("event: a\ndata: 1\n\nevent: end\ndata: 2\n\n");
  });
});

describe("a chunk that cannot be sent", () => {
  it("costs the client the chunk, and neither the run nor its end", async () => {
    const graph = new StateGraph(Annotation.Root({ v: Annotation<number>() }))
      .addNode("node", (_, { writer }) => {
        writer({
          toJSON: () => {
            throw new Error("not this");
          },
        });
        return { v: 1 };
      })
      .addEdge(START, "node")
      .addEdge("node", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const events = await thread.stream({ input: { v: 0 }, stream_mode: "custom" });
    expect(events.at(-1)).toMatchObject({ event: "end", data: { status: "success" } });
    expect((await thread.state()).values).toEqual({ v: 1 });
  });
});
