import { afterEach, describe, expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../src/index.ts";
import { holdBucket } from "../../support/bucket.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { reports } from "../../support/reports.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const large = "x".repeat(200_000);

/** Adds something that goes to the bucket. */
const big = new StateGraph(Log)
  .addNode("big", () => ({ log: [large] }))
  .addEdge(START, "big")
  .addEdge("big", END)
  .compile();

/** The first calls of this kind fail, so many of them. */
function failBucket(operation: string, times: number): void {
  let left = times;
  holdBucket((call) =>
    call.operation === operation && left-- > 0 ? Promise.reject(new Error("outage")) : undefined,
  );
}

/** Fires the alarm again and again, so that nothing waits for its time. */
async function hurry(thread: TestThread, answer: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = (): boolean => (isOver = true);
  void answer.then(over, over);
  await until(async () => {
    if (!isOver) await thread.fireAlarm();
    return isOver;
  });
}

afterEach(() => holdBucket());

describe("a fault of the storage during a run", () => {
  it("does not reach the caller when the next attempt gets through, and the input is applied once", async () => {
    deploy({ big });
    const thread = new TestThread();
    failBucket("put", 1);
    const answer = await thread.invoke({ input: { log: ["in"] } });
    expect(answer.values).toEqual({ log: ["in", large] });
    expect(await thread.sql("SELECT attempt, fault FROM runs")).toEqual([{ attempt: 2, fault: null }]);
    expect(await thread.alarm()).toBeNull();
    expect(reports().at(-1)).toMatchObject({ code: "blob_unavailable" });
  });

  it("is not tried again by those who only read", async () => {
    const before = reports().length;
    deploy({ big });
    const thread = new TestThread();
    failBucket("put", 1);
    const answer = thread.invoke({ input: { log: ["in"] } });
    await until(() => reports().length > before);
    // On a busy machine it may come before the thread is read.
    const due = await thread.inside(async ({ storage }) => {
      const time = await storage.getAlarm();
      await storage.deleteAlarm();
      return time;
    });
    expect(due ?? Infinity).toBeLessThan(Date.now() + 5000);
    await thread.state();
    expect(await thread.sql("SELECT attempt FROM runs")).toEqual([{ attempt: 1 }]);
    await thread.inside(({ storage }) => storage.setAlarm(due ?? 0));
    expect((await answer).status).toBe("success");
  });

  it("lets the runs behind it wait, and they follow", async () => {
    deploy({ big });
    const thread = new TestThread();
    failBucket("put", 1);
    const answers = ["a", "b"].map((name) => thread.invoke({ input: { log: [name] } }));
    const last = (await Promise.all(answers)).at(-1);
    expect(last?.values).toEqual({ log: ["a", large, "b", large] });
  });

  it("ends the run when it stays, and the error says what it was", async () => {
    deploy({ big });
    const thread = new TestThread();
    failBucket("put", Infinity);
    const answer = thread.invoke({ input: { log: ["in"] } });
    const failure = expect(answer).rejects.toMatchObject({
      status: 500,
      code: "run_stalled",
      details: { fault: { code: "blob_unavailable", message: expect.stringContaining("written") } },
    });
    await hurry(thread, answer);
    await failure;
    expect(await thread.alarm()).toBeNull();
    holdBucket();
    expect((await thread.invoke()).values).toEqual({ log: ["in", large] });
  });
});

describe("a fault that nobody expected", () => {
  it("ends the run in the end and leaves the thread to go on", async () => {
    let isBroken = false;
    const State = Annotation.Root({
      log: Annotation<readonly string[]>({
        reducer: (left, right) => left.concat(right),
        default: () => {
          if (isBroken) throw new Error("no default");
          return [];
        },
      }),
    });
    const graph = new StateGraph(State)
      .addNode("n", () => ({ log: ["n"] }))
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    isBroken = true;
    const answer = thread.invoke({ input: { log: ["in"] } });
    const failure = expect(answer).rejects.toMatchObject({ status: 500 });
    await hurry(thread, answer);
    await failure;
    isBroken = false;
    expect(await thread.rowCounts()).toMatchObject({ queue: 0 });
    expect((await thread.invoke({ input: { log: ["again"] } })).status).toBe("success");
  });
});

describe("a fault while the answer is put together", () => {
  const pending = {
    code: "run_pending",
    message: expect.stringContaining("do not send the input again"),
    details: { run_id: expect.any(String), cause: "blob_unavailable" },
  };

  it("says that the run was accepted", async () => {
    deploy({ big });
    const thread = new TestThread();
    failBucket("get", Infinity);
    await expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject({
      status: 503,
      ...pending,
    });
    holdBucket();
    expect((await thread.state()).values).toEqual({ log: ["in", large] });
  });
});
