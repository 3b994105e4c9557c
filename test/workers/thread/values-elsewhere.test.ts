import { describe, expect, it } from "vitest";
import { Annotation, END, interrupt, Overwrite, Send, START, StateGraph } from "../../../src/index.ts";
import type { RunnableGraph } from "../../../src/pregel/runnable-graph.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

interface Line {
  readonly id: string;
  readonly text: string;
}

const line = (name: string): Line => ({ id: name, text: `line ${name} `.padEnd(300, "lorem ") });
const lines = (count: number) => Array.from({ length: count }, (_, index) => line(`first ${index}`));

/** As `messagesStateReducer`: what has an id that is there takes its place. */
function byId(old: Line[], added: Line[]): Line[] {
  const all = new Map(old.map((each) => [each.id, each]));
  for (const each of added) all.set(each.id, each);
  return [...all.values()];
}

const Chat = Annotation.Root({
  messages: Annotation<Line[]>({ reducer: byId, default: () => [] }),
  turn: Annotation<string>({ reducer: (_, turn) => turn }),
});
const Call = Annotation.Root({ ...Chat.spec, name: Annotation<string>({ reducer: (_, name) => name }) });

const answer = ({ turn }: { turn: string }) => ({ messages: [line(`answer ${turn}`)] });

const chatting = () =>
  new StateGraph(Chat).addNode("answer", answer).addEdge(START, "answer").addEdge("answer", END).compile();

/** The graph inside of so many others. */
function nested(levels: number, graph: RunnableGraph): RunnableGraph {
  if (levels === 0) return graph;
  const outer = new StateGraph(Chat)
    .addNode("inside", graph)
    .addEdge(START, "inside")
    .addEdge("inside", END)
    .compile();
  return nested(levels - 1, outer);
}

const answerCall = ({ turn, name }: { turn: string; name: string }) => ({
  messages: [line(`answer ${turn} ${name}`)],
});

/** "call" gets all of the state, as the agent of LangGraph calls each of its tools. */
const sending = (target: "node" | "graph") => {
  const called = new StateGraph(Call)
    .addNode("answer", answerCall)
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile();
  return new StateGraph(Call)
    .addNode("ask", ({ turn }) => ({ messages: [line(`ask ${turn}`)] }))
    .addNode("call", target === "graph" ? called : answerCall)
    .addEdge(START, "ask")
    .addConditionalEdges("ask", (state) => ["a", "b"].map((name) => new Send("call", { ...state, name })))
    .addEdge("call", END)
    .compile();
};

const overwriting = () =>
  new StateGraph(Chat)
    .addNode("answer", ({ messages, turn }) => ({
      messages: new Overwrite(messages.map((each, index) => (index === 3 ? line(turn) : each))),
    }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile();

/** What the rows of checkpoints and writes have, in bytes. */
async function stored(thread: TestThread): Promise<number> {
  const statement = `SELECT (SELECT sum(length(body)) FROM checkpoints) + (SELECT sum(length(body)) FROM writes) AS bytes`;
  const [row] = await thread.sql<{ bytes: number }>(statement);
  return row?.bytes ?? 0;
}

/** Of the third turn on so many messages. */
async function bytesOfTurn(
  count: number,
  input: (turn: string, messages: readonly Line[]) => Record<string, unknown>,
): Promise<number> {
  const thread = new TestThread();
  await thread.invoke({ input: { messages: lines(count), turn: "0" } });
  let before = 0;
  for (const turn of ["1", "2", "3"]) {
    const { values } = (await thread.get("/state")) as { values: { messages: Line[] } };
    before = await stored(thread);
    const answered = await thread.invoke({ input: input(turn, values.messages) });
    const given = answered.values;
    await thread.evict();
    const read = (await thread.get("/state")) as { values: { messages: Line[] } };
    expect(read.values).toEqual(given);
    expect(read.values.messages.length).toBeGreaterThanOrEqual(count);
  }
  return (await stored(thread)) - before;
}

describe("what a turn stores of a list that stands elsewhere in the state", { timeout: 120_000 }, () => {
  const one = (turn: string) => ({ messages: [line(`ask ${turn}`)], turn });
  it.each([
    ["in a graph inside a node", () => nested(1, chatting()), one],
    ["in three graphs in each other", () => nested(3, chatting()), one],
    ["in Sends to a node", () => sending("node"), one],
    ["in Sends to a graph", () => sending("graph"), one],
    ["in an Overwrite", overwriting, one],
    [
      "in an input that brings all of it",
      chatting,
      (turn: string, messages: readonly Line[]) => ({ messages: [...messages, line(`ask ${turn}`)], turn }),
    ],
  ] as const)("is no more at 2,000 messages than at 20: %s", async (_, graph, input) => {
    deploy({ graph: graph() });
    const few = await bytesOfTurn(20, input);
    const many = await bytesOfTurn(2000, input);
    expect(many).toBeLessThan(1.1 * few);
  });
});

it(
  "is there when a graph inside a node is resumed, pruned and forked that waits with it",
  { timeout: 60_000 },
  async () => {
    const asking = new StateGraph(Chat)
      .addNode("answer", ({ messages }) => ({
        messages: [line(`${String(interrupt("?"))} to ${messages.length}`)],
      }))
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile();
    deploy({ graph: nested(2, asking) });
    const thread = new TestThread();
    const first = lines(100);
    const paused = await thread.invoke({ input: { messages: first, turn: "0" } });
    const ofVisits = await thread.sql<{ bytes: number }>(
      "SELECT length(body) AS bytes FROM checkpoints WHERE level = 5",
    );
    expect(ofVisits).toHaveLength(2);
    for (const { bytes } of ofVisits) expect(bytes).toBeLessThan(500);
    await thread.evict();
    await json(thread.post("/prune", { keep_last: 1 }));
    await thread.evict();
    const { values } = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    expect(values).toEqual({ messages: [...first, line("yes to 100")], turn: "0" });
    await thread.evict();
    const forked = await thread.resume({
      interrupt_id: paused.interrupts[0]?.id,
      value: "no",
      checkpoint_id: paused.checkpoint_id,
    });
    expect(forked.values).toEqual({ messages: [...first, line("no to 100")], turn: "0" });
  },
);
