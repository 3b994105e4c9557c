import { describe, expect, it } from "vitest";
import {
  Command,
  entrypoint,
  interrupt,
  INTERRUPT,
  MemorySaver,
  sleep,
  sleepUntil,
  START,
  StateGraph,
  task,
  ThreadInterruptedError,
  UnknownInterruptError,
  waitForEvent,
  type Waiting,
  WAITING,
} from "tidemark";
import type { CompiledStateGraph } from "tidemark";
import { instantOf, millisecondsOf } from "../../../src/pregel/time.ts";
import { ManualClock } from "./manual-clock.ts";
import { type Builder, chain, historyOf, parallel, State, thread } from "./support.ts";

type Graph = CompiledStateGraph<typeof State.State, typeof State.Update>;

const HOUR = 3_600_000;

function on(builder: Builder): { graph: Graph; clock: ManualClock; evict: () => Graph } {
  const clock = new ManualClock();
  const saver = new MemorySaver();
  const evict = () => builder.compile({ checkpointer: saver }).withOptions({ environment: clock });
  return { graph: evict(), clock, evict };
}

async function waits(graph: Graph): Promise<readonly Waiting[]> {
  return (await graph.getState(thread)).tasks.flatMap(({ waiting = [] }) => waiting);
}

const iso = (instant: number): string => new Date(instant).toISOString();
const received = (payload: unknown) => ({ timedOut: false, payload });
const resume = (id: string | undefined, value: unknown): Command =>
  new Command({ resume: { [id ?? ""]: value } });

const count = {
  "~standard": {
    version: 1 as const,
    vendor: "test",
    validate: (value: unknown) =>
      typeof value === "number" ? { value: value * 2 } : { issues: [{ message: "no number", path: ["n"] }] },
  },
};

describe("a sleep", () => {
  it("pauses the run without a question, until the time that was fixed first", async () => {
    let starts = 0;
    const { graph, clock, evict } = on(
      chain({
        nap: () => {
          starts++;
          sleep("PT1H");
          return { log: [clock.time] };
        },
      }),
    );
    const until = iso(clock.time + HOUR);
    const first = await graph.invoke({}, thread);
    expect(first[INTERRUPT]).toBeUndefined();
    expect(first[WAITING]).toEqual([{ id: expect.any(String), kind: "sleep", until }]);
    const snapshot = await graph.getState(thread);
    expect(snapshot.next).toEqual(["nap"]);
    expect(snapshot.tasks[0]).toMatchObject({ interrupts: [], waiting: first[WAITING] });
    clock.time += HOUR / 2;
    expect((await evict().invoke(null, thread))[WAITING]).toEqual(first[WAITING]);
    await expect(evict().invoke(new Command({ resume: "now" }), thread)).rejects.toBeInstanceOf(
      UnknownInterruptError,
    );
    expect(starts).toBe(1);
    clock.time += HOUR / 2;
    const end = await evict().invoke(resume(first[WAITING]?.[0]?.id, null), thread);
    expect(end.log).toEqual([clock.time]);
    expect(await waits(graph)).toEqual([]);
    expect((await historyOf(graph)).flatMap(({ tasks }) => tasks.flatMap((each) => each.interrupts))).toEqual(
      [],
    );
  });

  it("is no wait when its time has passed", async () => {
    const { graph, clock } = on(
      chain({
        nap: () => {
          sleep(0);
          sleep(-5);
          sleepUntil(clock.time);
          sleepUntil("1970-01-01T00:00:00+00:00");
          sleepUntil(new Date(0));
          return { log: [waitForEvent("never", { timeout: 0 })] };
        },
      }),
    );
    expect((await graph.invoke({}, thread)).log).toEqual([{ timedOut: true }]);
  });

  it("is refused for what is no time", async () => {
    const bad: (() => void)[] = [
      () => sleep("soon"),
      () => sleep("P1M"),
      () => sleep("PT"),
      () => sleep(Infinity),
      () => sleep(8.64e15),
      () => sleepUntil("2027-01-31T09:00:00"),
      () => sleepUntil(NaN),
    ];
    for (const wait of bad) {
      const { graph } = on(
        chain({
          nap: () => {
            wait();
            return undefined;
          },
        }),
      );
      await expect(graph.invoke({}, thread)).rejects.toMatchObject({ code: "invalid_time" });
    }
    expect(() => sleep(1)).toThrow(expect.objectContaining({ code: "outside_of_task" }));
    expect(millisecondsOf("P1W2DT3H4M5.5S")).toBe((9 * 24 + 3) * HOUR + 4 * 60_000 + 5_500);
    expect(instantOf("2027-01-31T09:00:00+01:00")).toBe(Date.UTC(2027, 0, 31, 8));
  });
});

describe("waits and questions of one superstep", () => {
  const builder = parallel({
    a_nap: () => {
      sleep(HOUR);
      return { log: ["slept"] };
    },
    ask: () => ({ log: [interrupt("who?")] }),
    listen: () => ({ log: [waitForEvent("paid", { timeout: "P1D" })] }),
  });

  it("are listed apart, and answered apart", async () => {
    const { graph, clock, evict } = on(builder);
    const chunks: unknown[] = [];
    for await (const chunk of await graph.stream({}, { ...thread, streamMode: "updates" }))
      chunks.push(chunk);
    const [nap, listen] = await waits(graph);
    expect([nap, listen]).toEqual([
      { id: nap?.id, kind: "sleep", until: iso(clock.time + HOUR) },
      { id: listen?.id, kind: "event", key: "paid", until: iso(clock.time + 24 * HOUR) },
    ]);
    expect(chunks).toContainEqual({ [WAITING]: [nap] });
    expect(chunks).toContainEqual({ [INTERRUPT]: [{ id: expect.any(String), value: "who?" }] });
    // The plain answer means the one question.
    const asked = await evict().invoke(new Command({ resume: "me" }), thread);
    expect(asked[INTERRUPT]).toBeUndefined();
    expect(asked[WAITING]).toEqual([nap, listen]);
    const heard = await evict().invoke(resume(listen?.id, received(7)), thread);
    expect(heard[WAITING]).toEqual([nap]);
    expect((await evict().invoke(resume(nap?.id, undefined), thread)).log).toEqual([
      "slept",
      "me",
      received(7),
    ]);
  });

  it("are both discarded by new input, which has to say so", async () => {
    const { graph } = on(builder);
    await graph.invoke({}, thread);
    const [nap] = await waits(graph);
    await expect(graph.invoke({ log: ["new"] }, thread)).rejects.toBeInstanceOf(ThreadInterruptedError);
    await graph.run({ kind: "input", value: { log: ["new"] } }, { ...thread, onInterrupted: "discard" });
    await expect(graph.invoke(resume(nap?.id, null), thread)).rejects.toBeInstanceOf(UnknownInterruptError);
  });

  it("stay, with their times, when the state is edited beside them", async () => {
    const { graph, clock, evict } = on(builder);
    await graph.invoke({}, thread);
    const before = await waits(graph);
    clock.time += 60_000;
    await graph.updateState(thread, { v: "edited" }, START);
    expect(await waits(evict())).toEqual(before);
    expect((await evict().invoke(null, thread))[WAITING]).toEqual(before);
    expect((await evict().invoke(resume(before[0]?.id, null), thread))[WAITING]).toEqual([before[1]]);
  });
});

describe("waits", () => {
  it("follow one another in a node, in a loop, and inside graphs and tasks", async () => {
    const inner = chain({
      listen: () => {
        const first = waitForEvent("step");
        sleep(HOUR);
        return { log: [first.payload, waitForEvent("step").payload] };
      },
    }).compile();
    const builder: Builder = new StateGraph(State)
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .addConditionalEdges("inner", ({ log }) => (log.length < 6 ? "inner" : "__end__"));
    const { graph, clock, evict } = on(builder);
    let last: Record<string, unknown> & { readonly [WAITING]?: readonly Waiting[] } = await graph.invoke(
      {},
      thread,
    );
    const seen: unknown[] = [];
    for (let step = 0; last[WAITING] !== undefined; step++) {
      const [wait] = last[WAITING];
      seen.push(wait?.kind);
      const answer = wait?.kind === "event" ? received(step) : null;
      last = await evict().invoke(resume(wait?.id, answer), thread);
      clock.time += 1;
    }
    expect(last["log"]).toEqual([0, 2, 0, 2, 3, 5]);
    expect(seen).toEqual(["event", "sleep", "event", "event", "sleep", "event"]);
  });

  it("of tasks that are called side by side are open together", async () => {
    const clock = new ManualClock();
    const listen = task(
      "listen",
      async (key: string) => waitForEvent<number>(key, { schema: count }).payload,
    );
    const flow = entrypoint({ name: "flow", checkpointer: new MemorySaver() }, async () => {
      const heard = await Promise.all([listen("a"), listen("b")]);
      sleep(HOUR);
      return heard;
    }).withOptions({ environment: clock });
    await flow.invoke({}, thread);
    const open = async () => (await flow.getState(thread)).tasks.flatMap(({ waiting = [] }) => waiting);
    const [a, b] = await open();
    expect([a, b]).toMatchObject([{ key: "a" }, { key: "b" }]);
    await flow.invoke(resume(b?.id, received(2)), thread);
    expect(await open()).toEqual([a]);
    await flow.invoke(resume(a?.id, received(1)), thread);
    const [nap] = await open();
    expect(nap).toMatchObject({ kind: "sleep", until: iso(clock.time + HOUR) });
    expect(await flow.invoke(resume(nap?.id, null), thread)).toEqual([2, 4]);
  });

  it("refuse an event that does not fit, and wait on until the same time", async () => {
    const { graph, evict } = on(
      chain({ listen: () => ({ log: [waitForEvent("n", { schema: count, timeout: HOUR })] }) }),
    );
    await graph.invoke({}, thread);
    const open = await waits(graph);
    for (const answer of [received("many"), "many"]) {
      await expect(evict().invoke(resume(open[0]?.id, answer), thread)).rejects.toMatchObject({
        code: "invalid_resume",
      });
      expect(await waits(graph)).toEqual(open);
    }
    expect((await evict().invoke(resume(open[0]?.id, received(4)), thread)).log).toEqual([received(8)]);
  });

  it("have keys that can be told", async () => {
    for (const key of ["", "a\nb", "é".repeat(129)]) {
      const { graph } = on(chain({ listen: () => void waitForEvent(key) }));
      await expect(graph.invoke({}, thread)).rejects.toMatchObject({ code: "invalid_event_key" });
    }
  });
});

describe("a question that expires", () => {
  it("says when, and what counts then", async () => {
    const { graph, clock, evict } = on(
      chain({ ask: () => ({ log: [interrupt("ok?", { expiresIn: "PT1H", default: false })] }) }),
    );
    const first = await graph.invoke({}, thread);
    const question = {
      id: expect.any(String),
      value: "ok?",
      expires_at: iso(clock.time + HOUR),
      default: false,
    };
    expect(first[INTERRUPT]).toEqual([question]);
    clock.time += 2 * HOUR;
    // Without timers somebody has to say so; until then it can be answered.
    expect((await evict().invoke(null, thread))[INTERRUPT]).toEqual([question]);
    expect((await evict().invoke(new Command({ resume: true }), thread)).log).toEqual([true]);
  });

  it("needs a default that fits", async () => {
    const bad = [
      { expiresIn: 5 },
      { expiresIn: 5, expiresAt: 5, default: 1 },
      { expiresIn: 5, default: "many", responseSchema: count },
    ];
    for (const options of bad) {
      const { graph } = on(chain({ ask: () => void interrupt("?", options) }));
      await expect(graph.invoke({}, thread)).rejects.toMatchObject({ code: "invalid_expiry" });
    }
  });
});
