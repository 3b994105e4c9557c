import { describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

describe("a custom chunk", () => {
  it("is what it was when the node gave it", async () => {
    const graph = new StateGraph(Log)
      .addNode("n", (_, config) => {
        const progress = { percent: 0 };
        for (const percent of [10, 50, 100]) {
          progress.percent = percent;
          config.writer?.(progress);
        }
        return {};
      })
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile();
    deploy({ graph });
    const events = await new TestThread().stream({ input: { log: [] }, stream_mode: "custom" });
    const chunks = events.filter(({ event }) => event === "custom").map(({ data }) => data);
    expect(chunks).toEqual([{ percent: 10 }, { percent: 50 }, { percent: 100 }]);
  });
});
