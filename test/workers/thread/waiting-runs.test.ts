import { afterEach, describe, expect, it, vi } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { exported, importInto } from "../../support/archives.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { gateOfTurns } from "../../support/turns.ts";
import { deploy } from "../graphs.ts";

const plain = new StateGraph(Log)
  .addNode("n", () => ({ log: ["n"] }))
  .addEdge(START, "n")
  .addEdge("n", END)
  .compile();

/** So many calls that come alone go on at once before one waits. */
const ALONE = 32;

/** A thread whose next run waits. */
async function usedThread(first = "b"): Promise<TestThread> {
  deploy({ plain });
  const thread = new TestThread();
  await thread.invoke({ input: { log: [first] } });
  for (let run = 1; run < ALONE; run++) await thread.invoke({ input: { log: ["b"] } });
  return thread;
}

afterEach(() => {
  holdBucket();
  vi.restoreAllMocks();
});

describe("a run that waits for others to share its commit", () => {
  it("is kept out of an import that has begun meanwhile", async () => {
    const thread = await usedThread();
    const source = new TestThread();
    await source.invoke({ input: { log: ["large", "x".repeat(200_000)] } });
    const archive = await exported(source);
    await thread.delete();
    const [turn, upload] = [gateOfTurns(), new Gate()];
    const answer = thread.invoke({ input: { log: ["late"] } });
    const outcome = expect(answer).rejects.toMatchObject({ status: 409, code: "thread_busy" });
    await turn.reached();
    holdBucket(({ operation }) => (operation === "put" ? upload.pass() : undefined));
    const importing = importInto(thread, archive);
    await upload.reached();
    turn.open();
    await outcome;
    upload.open();
    await importing;
    expect((await thread.state()).values).toEqual((await source.state()).values);
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, queue: 0 });
  });

  it("waits for a deletion that has begun meanwhile, and is one of a new thread", async () => {
    const thread = await usedThread("x".repeat(200_000));
    const [turn, removal] = [gateOfTurns(), new Gate()];
    const answer = thread.invoke({ input: { log: ["late"] } });
    await turn.reached();
    holdBucket(({ operation }) => (operation === "delete" ? removal.pass() : undefined));
    const deletion = thread.delete();
    await removal.reached();
    turn.open();
    await scheduler.wait(20);
    removal.open();
    expect(await deletion).toBe(204);
    expect((await answer).values).toEqual({ log: ["late", "n"] });
  });

  it("is one of a new thread where its thread was deleted meanwhile", async () => {
    const thread = await usedThread();
    const turn = gateOfTurns();
    const answer = thread.invoke({ input: { log: ["late"] } });
    await turn.reached();
    expect(await thread.delete()).toBe(204);
    turn.open();
    expect((await answer).values).toEqual({ log: ["late", "n"] });
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, queue: 0, thread: 1 });
  });
});
