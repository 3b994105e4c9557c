import { describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { EventStream } from "../../../src/thread/event-stream.ts";
import { allEvents } from "../../support/events.ts";
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

describe("a stream that nobody reads", () => {
  it("ends with an error when too much waits", async () => {
    const stream = new EventStream();
    const chunk = "x".repeat(1024 * 1024);
    for (let n = 0; n < 40; n++) stream.push("custom", chunk);
    stream.push("end", {});
    stream.end();
    const events = await allEvents(new Response(stream.body));
    expect(events.length).toBeLessThan(20);
    expect(events.at(-1)).toMatchObject({ event: "error", data: { error: { code: "client_too_slow" } } });
    await stream.written;
  });

  it("does not disturb the run with data that has no text", async () => {
    const stream = new EventStream();
    const reading = new Response(stream.body).text();
    expect(() =>
      stream.push("custom", {
        toJSON: () => {
          throw new Error("no text");
        },
      }),
    ).not.toThrow();
    await expect(reading).rejects.toThrow();
  });
});
