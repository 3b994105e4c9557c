import { describe, expect, it } from "vitest";
import { Annotation, Command, DeltaChannel, interrupt, MemorySaver, START, StateGraph } from "tidemark";
import { Topic } from "tidemark/channels";
import type { CheckpointConfig, CheckpointTuple } from "tidemark/checkpoint";
import { thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: what older code has stored. */

type Part = "versions_seen" | "channel_versions";

/** Gives what older code had not written. */
class OlderSaver extends MemorySaver {
  missing: readonly Part[] = [];

  override async getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await super.getTuple(config);
    if (tuple === undefined) return undefined;
    const kept = Object.entries(tuple.checkpoint).filter(
      ([part]) => !this.missing.some((each) => each === part),
    );
    return { ...tuple, checkpoint: Object.fromEntries(kept) as unknown as CheckpointTuple["checkpoint"] };
  }
}

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  notes: () =>
    new DeltaChannel<string[], string[]>((notes, writes) => notes.concat(...writes), {
      initialValueFactory: () => [],
    }),
  seen: () => new Topic<string>({ unique: true, accumulate: true }),
});

function asking(saver: MemorySaver) {
  return new StateGraph(State)
    .addNode("note", () => ({ notes: ["noted"], seen: ["a", "b", "a"] }))
    .addNode("ask", () => ({ log: [interrupt<string, string>("ok?")], seen: ["b", "c"] }))
    .addEdge(START, "note")
    .addEdge("note", "ask")
    .compile({ checkpointer: saver });
}

describe("MIG-03: a checkpoint of older code", () => {
  it.each<readonly Part[]>([["versions_seen"], ["channel_versions"], ["versions_seen", "channel_versions"]])(
    "is read without its %s %s",
    async (...missing) => {
      const saver = new OlderSaver();
      const graph = asking(saver);
      await graph.invoke({ log: ["in"] }, thread);
      saver.missing = missing.filter(Boolean);
      const { values } = await graph.getState(thread);
      expect(values).toEqual({ log: ["in"], notes: ["noted"], seen: ["a", "b"] });
    },
  );

  it("goes on without what its nodes have seen, and knows a topic as pairs of what was there and what is", async () => {
    const saver = new OlderSaver();
    const graph = asking(saver);
    await graph.invoke({ log: ["in"] }, thread);
    saver.missing = ["versions_seen"];
    const stored = await saver.getTuple(thread);
    expect(stored?.checkpoint.channel_values["seen"]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    const result = await graph.invoke(new Command({ resume: "yes" }), thread);
    expect(result).toEqual({ log: ["in", "yes"], notes: ["noted"], seen: ["a", "b", "c"] });
  });
});
