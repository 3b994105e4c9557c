import type { CompiledStateGraph } from "../../src/graph/compiled-state-graph.ts";
import { END, START, StateGraph } from "../../src/index.ts";
import { Log } from "./log.ts";

export type LogGraph = CompiledStateGraph<typeof Log.State, typeof Log.Update>;
type Step = () => { log: readonly string[] } | Promise<{ log: readonly string[] }>;

/** How often what was called. */
export class Runs {
  readonly counts: Record<string, number> = {};

  /** A step that counts and logs its name, after what it does besides. */
  step(name: string, before: () => unknown = () => undefined): Step {
    return async () => {
      this.counts[name] = (this.counts[name] ?? 0) + 1;
      const result = await before();
      return { log: [typeof result === "string" ? result : name] };
    };
  }
}

/** Steps that follow one another. */
export function sequence(steps: Readonly<Record<string, Step>>, checkpointer?: boolean): LogGraph {
  const builder = new StateGraph({ state: Log, nodes: [] as string[] });
  let last: string = START;
  for (const [name, step] of Object.entries(steps)) {
    builder.addNode(name, step).addEdge(last, name);
    last = name;
  }
  return builder.addEdge(last, END).compile(checkpointer === undefined ? {} : { checkpointer });
}

/** A node "nested" that runs the graphs one after the other, with what they log as its own; after it "after". */
export function around(runs: Runs, ...inner: readonly LogGraph[]): LogGraph {
  return new StateGraph(Log)
    .addNode(
      "nested",
      async () => {
        const log: string[] = [];
        for (const graph of inner) log.push(...(await graph.invoke({ log: [] })).log);
        return { log };
      },
      { subgraphs: inner },
    )
    .addNode("after", runs.step("after"))
    .addEdge(START, "nested")
    .addEdge("nested", "after")
    .addEdge("after", END)
    .compile();
}
