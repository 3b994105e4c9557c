import { afterEach, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

afterEach(() => holdBucket());

async function isDeleting(thread: TestThread): Promise<boolean> {
  return (await thread.sql("SELECT 1 FROM thread WHERE deleting = 1")).length === 1;
}

describe("what a run still writes when its thread is deleted", () => {
  it("leaves no object behind when it was on its way into the bucket", async () => {
    const graph = new StateGraph(Log)
      .addNode("big", () => ({ log: ["b".repeat(200_000)] }))
      .addEdge(START, "big")
      .addEdge("big", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const upload = new Gate();
    holdBucket((call) => (call.operation === "put" ? upload.pass() : undefined));
    const caller = expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject({
      code: "thread_deleted",
    });
    await upload.reached();
    const deletion = thread.delete();
    await until(() => isDeleting(thread));
    upload.open();
    expect(await deletion).toBe(204);
    await caller;
    await scheduler.wait(20);
    expect(await thread.objects()).toEqual([]);
    expect(await thread.tables()).toEqual([]);
  });

  it("never gets into the thread that takes its place, nor into the bucket", async () => {
    const gate = new Gate();
    let visits = 0;
    const graph = new StateGraph(Log)
      .addNode("late", async () => {
        visits += 1;
        if (visits > 1) return { log: ["new"] };
        await gate.pass();
        return { log: ["old".repeat(100_000)] };
      })
      .addEdge(START, "late")
      .addEdge("late", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const caller = expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject({ status: 410 });
    await gate.reached();
    expect(await thread.delete()).toBe(204);
    await caller;
    await thread.invoke({ input: { log: ["in"] } });
    const before = await thread.rowCounts();
    gate.open();
    await scheduler.wait(30);
    expect(await thread.rowCounts()).toEqual(before);
    expect(await thread.objects()).toEqual([]);
  });
});

describe("what an instance still writes when another has taken its place", () => {
  it("is not stored", async () => {
    const runs = { a: 0, b: 0 };
    const second = new Gate();
    const first = new Gate();
    const graph = new StateGraph(Log)
      .addNode("a", () => {
        runs.a += 1;
        return { log: ["a".repeat(200_000)] };
      })
      .addNode("b", async () => {
        runs.b += 1;
        const visit = runs.b;
        await (visit === 1 ? first : second).pass();
        return { log: [`b${visit}`] };
      })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const answer = thread.invoke({ input: { log: ["in"] } });
    await first.reached();
    await until(async () => (await thread.rowCounts())["writes"] === 2);
    await thread.crash();
    await second.reached();
    const before = await thread.rowCounts();
    first.open();
    await scheduler.wait(30);
    expect(await thread.rowCounts()).toEqual(before);
    second.open();
    expect((await answer).values["log"]).toEqual(["in", "a".repeat(200_000), "b2"]);
    expect(runs).toEqual({ a: 1, b: 2 });
  });
});
