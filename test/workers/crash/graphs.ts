import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import type { NodeConfig } from "../../../src/index.ts";
import type { Effects } from "./scenario.ts";

export const State = Annotation.Root({
  log: Annotation<readonly string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
  large: Annotation<string>(),
});

export const input = { input: { log: ["in"] } };

/** An effect outside, under the key that the node gets for it; and time in which what was written before becomes durable. */
export function effectful(name: string, effects: Effects) {
  return async (_: unknown, { executionInfo }: NodeConfig) => {
    effects.note(name, executionInfo?.effectKey ?? "");
    await scheduler.wait(1);
    return { log: [name] };
  };
}

/** As `effectful`, and says that it has used something. */
export function spending(name: string, effects: Effects) {
  return (state: unknown, config: NodeConfig) => {
    config.reportUsage({ tokens: 1 });
    return effectful(name, effects)(state, config);
  };
}

/** One after the other, two side by side, and their join. */
export function working(effects: Effects, node = effectful) {
  return new StateGraph(State)
    .addNode("first", node("first", effects))
    .addNode("left", node("left", effects))
    .addNode("right", async (state, config) => {
      await scheduler.wait(3);
      return { ...(await node("right", effects)(state, config)), large: "x".repeat(200_000) };
    })
    .addNode("join", node("join", effects))
    .addEdge(START, "first")
    .addEdge("first", "left")
    .addEdge("first", "right")
    .addEdge(["left", "right"], "join")
    .addEdge("join", END)
    .compile();
}

/** Asks twice in a row. */
export function asking(effects: Effects) {
  const ask = (name: string) => async (state: unknown, config: NodeConfig) => {
    const answer = String(interrupt(`${name}?`));
    await effectful(name, effects)(state, config);
    return { log: [answer] };
  };
  return new StateGraph(State)
    .addNode("ten", ask("ten"))
    .addNode("thousand", ask("thousand"))
    .addEdge(START, "ten")
    .addEdge("ten", "thousand")
    .addEdge("thousand", END)
    .compile();
}

/** Goes on until it is stopped, unless it is to be quick. */
export function waiting(effects: Effects) {
  return new StateGraph(State)
    .addNode("before", effectful("before", effects))
    .addNode("wait", async ({ log }, { signal }) => {
      if (!log.includes("quick")) await scheduler.wait(600_000, { signal });
      return {};
    })
    .addEdge(START, "before")
    .addEdge("before", "wait")
    .addEdge("wait", END)
    .compile();
}

export function failing(effects: Effects) {
  return new StateGraph(State)
    .addNode("before", effectful("before", effects))
    .addNode("fail", ({ log }) => {
      if (!log.includes("mended")) throw new Error("not mended");
      return { log: ["after"] };
    })
    .addEdge(START, "before")
    .addEdge("before", "fail")
    .addEdge("fail", END)
    .compile();
}

/** Stops for something, and then works on with what came of it. */
export function stopping(effects: Effects, stop: () => string | Promise<string>) {
  return new StateGraph(State)
    .addNode("before", effectful("before", effects))
    .addNode("stop", async () => ({ log: [await stop()] }))
    .addNode("after", effectful("after", effects))
    .addEdge(START, "before")
    .addEdge("before", "stop")
    .addEdge("stop", "after")
    .addEdge("after", END)
    .compile();
}

/** Puts something into the bucket, between two effects. */
export function storing(effects: Effects) {
  return new StateGraph(State)
    .addNode("before", effectful("before", effects))
    .addNode("store", () => ({ large: "y".repeat(200_000) }))
    .addNode("after", effectful("after", effects))
    .addEdge(START, "before")
    .addEdge("before", "store")
    .addEdge("store", "after")
    .addEdge("after", END)
    .compile();
}
