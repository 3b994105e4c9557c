import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Annotation, Command, END, Send, START, StateGraph } from "../../../../src/index.ts";
import { EncryptedSerializer, MsgpackSerializer } from "../../../../src/checkpoint/index.ts";
import type { RunnableGraph } from "../../../../src/pregel/runnable-graph.ts";
import { objectName } from "../../../../src/http/object-name.ts";
import { course, type Loss, plan } from "../../../support/crash-points.ts";
import { eventsOf, identifiedEvents, type IdentifiedEvent } from "../../../support/events.ts";
import { injectFaults, platformFaults } from "../../../support/faults.ts";
import { Gate, until } from "../../../support/gate.ts";
import { Log } from "../../../support/log.ts";
import { ends, eventsUntil, start as startByCommand } from "../../../support/protocol.ts";
import { json, TestThread } from "../../../support/threads.ts";
import { deploy, deploySerde } from "../../graphs.ts";

/** Time stands still, as it does in an object whose nodes wait for nothing: only the first supersteps are told at once. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});

afterEach(() => {
  vi.useRealTimers();
  deploySerde(new MsgpackSerializer());
});

function encrypt(): void {
  deploySerde(new EncryptedSerializer({ current: "k", keys: { k: new Uint8Array(32).fill(1) } }));
}

const SUPERSTEPS = 14;

const Left = Annotation.Root({ left: Annotation<number>() });

/** What was stored before becomes durable. */
const durable = (): Promise<void> => scheduler.wait(1);

/** `before`: what the node does first. */
function countdown(before: (left: number, write: (chunk: unknown) => void) => unknown = () => undefined) {
  return new StateGraph(Left)
    .addNode("count", async ({ left }, { writer }) => {
      await durable();
      await before(left, writer);
      return { left: left - 1 };
    })
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ left }) => (left > 0 ? "count" : END))
    .compile();
}

interface Streamed {
  /** As the caller got them, who noticed nothing. */
  readonly live: readonly IdentifiedEvent[];
  /** As who comes when all is over gets them. */
  readonly late: readonly IdentifiedEvent[];
  readonly thread: TestThread;
  readonly runId: string;
  readonly hasCrashed: boolean;
}

interface Crash {
  readonly time: number;
  readonly loss: Loss;
}

async function start(thread: TestThread, body: object) {
  const config = { recursion_limit: 100 };
  const response = await thread.post("/stream", { input: { left: SUPERSTEPS }, config, ...body });
  const [runId = ""] = /[^/]+$/.exec(response.headers.get("content-location") ?? "") ?? [];
  return { response, runId };
}

/** `crash`: the object ends with the n-th commit. */
async function streamed(body: object, crash?: Crash, thread = new TestThread()): Promise<Streamed> {
  const name = objectName("", thread.id);
  if (crash !== undefined) plan(name, { point: "run.committed", ...crash });
  const { response, runId } = await start(thread, body);
  const live = await identifiedEvents(response);
  const late = await identifiedEvents(await thread.join(runId));
  return { live, late, thread, runId, hasCrashed: course(name).isOver };
}

/** The time of the next attempt has come. */
async function retry(thread: TestThread): Promise<void> {
  await thread.sql("UPDATE timers SET due = 1 WHERE kind = 'queue'");
  await runDurableObjectAlarm(thread.stub);
}

const ofMode = (events: readonly IdentifiedEvent[], mode: string) =>
  events.filter(({ event }) => event === mode).map(({ data }) => data);

const ofAttempt = (events: readonly IdentifiedEvent[], attempt: number) =>
  events.filter(({ id }) => id?.startsWith(`${attempt}-`));

const COUNTED = Array.from({ length: SUPERSTEPS }, (_, n) => ({ count: { left: SUPERSTEPS - 1 - n } }));

function distinct(updates: readonly unknown[]): unknown[] {
  const texts = updates.map((data) => JSON.stringify({ ...Object(data), __metadata__: undefined }));
  return [...new Set(texts)].map((text) => JSON.parse(text) as unknown);
}

describe("supersteps that follow fast on each other", () => {
  it.for<[Loss, "plain" | "encrypted"]>([
    ["lost", "plain"],
    ["kept", "plain"],
    ["lost", "encrypted"],
    ["kept", "encrypted"],
  ])(
    "are told once to everybody when the object stops: what it wrote last is %s, %s",
    async ([loss, serde]) => {
      if (serde === "encrypted") encrypt();
      deploy({ graph: countdown() });
      const body = { stream_mode: ["updates", "values"] };
      const { live, late, thread, runId } = await streamed(body, { time: 11, loss });
      expect(ofMode(live, "updates")).toEqual(COUNTED);
      expect(late).toEqual(live);
      // Those that waited are told by the next attempt.
      expect(ofMode(ofAttempt(live, 1), "updates").length).toBeLessThan(6);
      expect(ofMode(ofAttempt(live, 2), "updates").length).toBeGreaterThan(8);
      for (const [n, { id = "" }] of live.entries()) {
        const rest = await identifiedEvents(await thread.join(runId, "", { "last-event-id": id }));
        expect(rest).toEqual(live.slice(n + 1));
      }
    },
  );

  it.for([5, 8, 13])("are told as without the stop, which comes with commit %i", async (time) => {
    deploy({ graph: countdown() });
    const body = { stream_mode: ["updates", "values", "tasks", "checkpoints"] };
    const undisturbed = await streamed(body);
    const { live, late } = await streamed(body, { time, loss: "kept" });
    expect(late).toEqual(live);
    // Where the second attempt goes on it shows once more where it is.
    const told = new Set(shown(live.slice(1).filter(({ event }) => event !== "metadata")));
    expect([...told]).toEqual(shown(undisturbed.live.slice(1)));
  });

  it("are told when time has passed, and not before they are stored", async () => {
    const gate = new Gate();
    deploy({ graph: countdown((left) => (left === 4 ? gate.pass() : undefined)) });
    const thread = new TestThread();
    const { response } = await start(thread, { stream_mode: "updates" });
    const heard: unknown[] = [];
    const reading = (async () => {
      for await (const { event, data } of eventsOf(response)) if (event === "updates") heard.push(data);
    })();
    await gate.reached();
    await scheduler.wait(300);
    expect(heard).toEqual(COUNTED.slice(0, 4));
    vi.setSystemTime(Date.now() + 300);
    await until(() => heard.length > 4);
    expect(heard).toEqual(COUNTED.slice(0, SUPERSTEPS - 4));
    const [stored] = await thread.sql<{ bytes: number }>("SELECT length(body) AS bytes FROM events");
    expect(stored?.bytes).toBeGreaterThan(heard.length * JSON.stringify(COUNTED[0]).length);
    gate.open();
    await reading;
    expect(heard).toEqual(COUNTED);
  });

  it.for(["plain", "encrypted"])(
    "are in the log of a run that is cancelled before they were told: %s",
    async (serde) => {
      if (serde === "encrypted") encrypt();
      const gate = new Gate();
      deploy({ graph: countdown((left) => (left === 4 ? gate.pass() : undefined)) });
      const thread = new TestThread();
      const { response, runId } = await start(thread, { stream_mode: "updates" });
      await gate.reached();
      await json(thread.post(`/runs/${runId}/cancel`, {}));
      gate.open();
      const live = await identifiedEvents(response);
      expect(ofMode(live, "updates")).toEqual(COUNTED.slice(0, SUPERSTEPS - 4));
      expect(await identifiedEvents(await thread.join(runId))).toEqual(live);
    },
  );

  it("are told once when the next attempt stops, too", async () => {
    const thread = new TestThread();
    const name = objectName("", thread.id);
    let stops = 0;
    const stopAgain = (): void => {
      if (!course(name).isOver || stops === 2) return;
      stops += 1;
      plan(name, { point: "run.committed", time: stops, loss: "kept" });
    };
    deploy({ graph: countdown(stopAgain) });
    const { live, late } = await streamed({ stream_mode: "updates" }, { time: 7, loss: "kept" }, thread);
    expect(ofMode(live, "metadata")).toHaveLength(4);
    expect(ofMode(live, "updates")).toEqual(COUNTED);
    expect(late).toEqual(live);
  });

  it.for([2, 3, 4, 8])(
    "are told once when each fills a row, and the object stops with commit %i",
    async (time) => {
      const text = "x".repeat(20_000);
      const Texts = Annotation.Root({ left: Annotation<number>(), text: Annotation<string>() });
      const graph = new StateGraph(Texts)
        .addNode("count", async ({ left }) => {
          await durable();
          return { left: left - 1, text };
        })
        .addEdge(START, "count")
        .addConditionalEdges("count", ({ left }) => (left > 0 ? "count" : END));
      deploy({ graph: graph.compile() });
      const { live, late } = await streamed({ stream_mode: "updates" }, { time, loss: "kept" });
      expect(ofMode(live, "updates")).toEqual(COUNTED.map(({ count }) => ({ count: { ...count, text } })));
      expect(late).toEqual(live);
    },
  );

  it("are not told again of a log that older code has written", async () => {
    const gate = new Gate();
    deploy({ graph: countdown((left) => (left === SUPERSTEPS - 4 ? gate.pass() : undefined)) });
    const thread = new TestThread();
    const { response } = await start(thread, { stream_mode: "updates" });
    await gate.reached();
    // It wrote with each commit, and did not say how far it had come.
    await thread.sql("UPDATE events SET checkpoint = NULL");
    await thread.crash();
    gate.open();
    expect(ofMode(await identifiedEvents(response), "updates")).toEqual(COUNTED);
  });

  it("are told once when the next attempt stops before it has stored anything", async () => {
    const thread = new TestThread();
    const name = objectName("", thread.id);
    const gate = new Gate();
    deploy({ graph: countdown(() => (course(name).isOver ? gate.pass() : undefined)) });
    plan(name, { point: "run.committed", time: 8, loss: "kept" });
    const { response, runId } = await start(thread, { stream_mode: "updates" });
    const live = identifiedEvents(response);
    await gate.reached();
    await scheduler.wait(50);
    await thread.crash();
    gate.open();
    expect(ofMode(await live, "updates")).toEqual(COUNTED);
    expect(await identifiedEvents(await thread.join(runId))).toEqual(await live);
  });

  it("are told once to who listens to the thread", async () => {
    deploy({ graph: countdown() });
    const thread = new TestThread();
    const name = objectName("", thread.id);
    plan(name, { point: "run.committed", time: 11, loss: "kept" });
    const listening = { channels: ["updates", "values", "lifecycle"] };
    const live = eventsUntil(thread, ends(), listening);
    await startByCommand(thread, { left: SUPERSTEPS });
    const updates = (await live).filter(({ method }) => method === "updates");
    expect(updates.map(({ params: { node, data } }) => ({ [node ?? ""]: data }))).toEqual(COUNTED);
    expect(course(name).isOver).toBe(true);
    expect(await eventsUntil(thread, ends(), listening)).toEqual(await live);
  });

  it.for(["before", "after"] as const)(
    "are told once when the storage fails %s any transaction",
    { timeout: 60_000 },
    async (when) => {
      deploy({ graph: countdown() });
      for (let nth = 5, isHit = true; isHit; nth += 3) {
        const thread = new TestThread();
        let count = 0;
        isHit = false;
        injectFaults((call) => {
          const isMeant = call.name === objectName("", thread.id) && call.operation === "transaction";
          if (!isMeant || call.when !== when || count++ !== nth) return undefined;
          isHit = true;
          return platformFaults.connection();
        });
        const streaming = streamed({ stream_mode: "updates" }, undefined, thread);
        let isOver = false;
        void streaming.finally(() => (isOver = true)).catch(() => undefined);
        await until(async () => {
          if (!isOver) await retry(thread).catch(() => undefined);
          return isOver;
        });
        const { live, late } = await streaming;
        injectFaults();
        // A task of the superstep that was not finished may be told once more, as such.
        for (const events of [live, late]) expect(distinct(ofMode(events, "updates"))).toEqual(COUNTED);
      }
    },
  );

  it("keep what their nodes say by themselves with their commits", async () => {
    deploy({ graph: countdown((left, write) => left % 3 === 0 && write(left)) });
    const body = { stream_mode: ["updates", "custom"] };
    const { live, late } = await streamed(body, { time: 10, loss: "kept" });
    expect(ofMode(live, "custom")).toEqual([12, 9, 6, 3]);
    expect(ofMode(live, "updates")).toEqual(COUNTED);
    expect(late).toEqual(live);
  });
});

const Turns = Annotation.Root({ ...Log.spec, left: Annotation<number>() });

/** Graphs that go round, each of its own kind. */
const rounds: Readonly<Record<string, () => RunnableGraph>> = {
  "tasks side by side": () => {
    const names = ["a", "b", "c"];
    const node = (name: string, n: number) => async () => {
      await scheduler.wait(3 - n);
      return { log: [name] };
    };
    const graph = new StateGraph(Turns)
      .addNode(Object.fromEntries(names.map((name, n) => [name, node(name, n)])))
      .addNode("turn", ({ left }) => ({ left: left - 1 }))
      .addEdge(names, "turn")
      .addConditionalEdges("turn", ({ left }) => (left > 0 ? names : END));
    for (const name of names) graph.addEdge(START, name);
    return graph.compile();
  },
  Sends: () =>
    new StateGraph(Turns)
      .addNode("work", async (sent: { n: number }, { writer }) => {
        await durable();
        if (sent.n === 1) writer(sent.n);
        return { log: [`sent ${sent.n}`] };
      })
      .addNode("turn", ({ left }) => ({ left: left - 1 }))
      .addEdge(START, "turn")
      .addConditionalEdges("turn", ({ left }) =>
        left > 0 ? [1, 2, 3].map((n) => new Send("work", { n })) : END,
      )
      .addEdge("work", "turn")
      .compile(),
  "a graph in a node": () =>
    new StateGraph(Turns)
      .addNode("inside", chain("inner", 2))
      .addNode("turn", ({ left }) => ({ left: left - 1 }))
      .addEdge(START, "inside")
      .addEdge("inside", "turn")
      .addConditionalEdges("turn", ({ left }) => (left > 0 ? "inside" : END))
      .compile(),
  "an error handler": () =>
    new StateGraph(Turns)
      .addNode("fail", () => durable().then(() => Promise.reject(new Error("no luck"))), {
        errorHandler: ({ left }) =>
          new Command({ update: { left: left - 1, log: ["handled"] }, goto: "turn" }),
      })
      .addNode("turn", () => ({ log: ["turn"] }))
      .addEdge(START, "fail")
      .addConditionalEdges("turn", ({ left }) => (left > 0 ? "fail" : END))
      .compile(),
};

/** So many nodes, one after the other. */
function chain(name: string, nodes: number): RunnableGraph {
  const graph: StateGraph<typeof Log, typeof Log.State, typeof Log.Update, string> = new StateGraph(Log);
  for (let n = 0; n < nodes; n++) {
    const node = async () => {
      await durable();
      return { log: [`${name} ${n}`] };
    };
    graph.addNode(`${name}${n}`, node).addEdge(n === 0 ? START : `${name}${n - 1}`, `${name}${n}`);
  }
  return graph.compile();
}

describe("a run of fast supersteps", () => {
  it.for(Object.keys(rounds))(
    "says everything once, with whichever commit the object stops: %s",
    { timeout: 30_000 },
    async (name) => {
      deploy({ graph: rounds[name]?.() ?? countdown() });
      const body = { input: { left: 3 }, stream_mode: ["updates", "custom"], stream_subgraphs: true };
      const undisturbed = saidOf((await streamed(body)).live);
      expect(undisturbed.length).toBeGreaterThan(5);
      for (let time = 1, isOver = false; !isOver; time++) {
        const { live, late, hasCrashed } = await streamed(body, { time, loss: "kept" });
        expect(saidOf(live)).toEqual(undisturbed);
        expect(late).toEqual(live);
        isOver = !hasCrashed;
      }
    },
  );
});

/** Tasks side by side end in any order. */
function saidOf(events: readonly IdentifiedEvent[]): string[] {
  return events
    .filter(({ event }) => /^(updates|custom)/.test(event))
    .map(({ event, data }) => `${event.replaceAll(/:[^|]*/g, "")} ${JSON.stringify(data)}`)
    .toSorted();
}

/** Without where in the log it is, and without what differs from thread to thread. */
function shown(events: readonly IdentifiedEvent[]): string[] {
  const names = new Map<string, number>();
  const withoutIds = (text: string): string =>
    text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      const name = names.get(id) ?? names.size;
      names.set(id, name);
      return String(name);
    });
  return events.map(({ event, data }) => withoutIds(JSON.stringify([event, data], inOneOrder)));
}

function inOneOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
