import { afterEach, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { exported, importInto } from "../../support/archives.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const plain = new StateGraph(Log)
  .addNode("n", () => ({ log: ["n"] }))
  .addEdge(START, "n")
  .addEdge("n", END)
  .compile();

const LARGE = "x".repeat(200_000);

/** A thread with an object in the bucket, whose deletion can be held up. */
async function largeThread(): Promise<TestThread> {
  deploy({ plain });
  const thread = new TestThread();
  await thread.invoke({ input: { log: [LARGE] } });
  return thread;
}

function created(thread: TestThread, rest: object): Promise<unknown> {
  const body = JSON.stringify({ thread_id: thread.id, ...rest });
  return json(request("/threads", { method: "POST", headers: { "content-type": "application/json" }, body }));
}

type Archive = Uint8Array<ArrayBuffer>;

/** Ways to make a thread, and what is in it then. */
const WAYS = {
  run: { make: (thread: TestThread) => thread.invoke({ input: { log: ["a"] } }), log: ["a", "n"] },
  import: { make: (thread: TestThread, archive: Archive) => importInto(thread, archive), log: [LARGE, "n"] },
  "thread made of steps": {
    make: (thread: TestThread) =>
      created(thread, { supersteps: [{ updates: [{ values: { log: ["s"] }, as_node: "n" }] }] }),
    log: ["s"],
  },
  "thread that has run nothing": { make: (thread: TestThread) => created(thread, {}), log: undefined },
};

type Way = keyof typeof WAYS;
const ways = Object.keys(WAYS) as Way[];
/** A run goes into a thread that has run nothing. */
const pairs = ways
  .flatMap((first) => ways.map((second) => [first, second] as const))
  .filter((pair) => pair.some((way) => way === "import" || way === "thread made of steps"));

/** Both wait until the same deletion has ended. */
async function bothAfterDeletion([first, second]: readonly [Way, Way], thread: TestThread, archive: Archive) {
  const removal = new Gate();
  holdBucket(({ operation }) => (operation === "delete" ? removal.pass() : undefined));
  const deletion = thread.delete();
  await removal.reached();
  const makings = [];
  for (const way of [first, second]) {
    makings.push(WAYS[way].make(thread, archive));
    await scheduler.wait(10);
  }
  const settled = Promise.allSettled(makings);
  removal.open();
  await deletion;
  return settled;
}

afterEach(() => holdBucket());

it.for(pairs)(
  "of two that wait for the same deletion (%s, %s) one makes the thread, and the other is refused",
  async (pair) => {
    const archive = await exported(await largeThread());
    const thread = await largeThread();
    const settled = await bothAfterDeletion(pair, thread, archive);
    const [made, refused] = pair.filter((_, index) => settled[index]?.status === "fulfilled");
    expect([made !== undefined, refused]).toEqual([true, undefined]);
    expect(settled.find(({ status }) => status === "rejected")).toMatchObject({ reason: { status: 409 } });
    expect((await thread.state()).values["log"]).toEqual(WAYS[made ?? "run"].log);
    expect(await thread.rowCounts()).toMatchObject({ thread: 1, queue: 0 });
  },
);
