import { afterEach, describe, expect, it } from "vitest";
import { END, interrupt, sleep, START, StateGraph, waitForEvent } from "../../../src/index.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json } from "../../support/threads.ts";
import { ToldThread } from "../../support/told-thread.ts";
import { deploy, receivers } from "../graphs.ts";

afterEach(() => void receivers.splice(0, receivers.length, "receiver"));

describe("the webhook of a run that waits", () => {
  it("is told of what goes on by itself after a sleep, an event and a question that expires", async () => {
    const graph = new StateGraph(Log)
      .addNode("nap", () => {
        sleep(20);
        return { log: [String(waitForEvent("n").payload)] };
      })
      .addNode("ask", () => ({ log: [interrupt("ok?", { expiresIn: 20, default: "no" })] }))
      .addEdge(START, "nap")
      .addEdge("nap", "ask")
      .addEdge("ask", END)
      .compile();
    deploy({ graph });
    const thread = new ToldThread();
    await thread.tell();
    const told = async (count: number) => (await thread.messages(count)).at(-1)?.data.status;
    expect(await told(1)).toBe("interrupted");
    expect(await told(2)).toBe("interrupted");
    await json(thread.post("/events/n", "came"));
    expect(await told(4)).toBe("success");
    expect((await thread.state()).values).toEqual({ log: ["came", "no"] });
    const types = (await thread.messages(4)).map(({ type }) => type);
    expect(types).toEqual(["run.paused", "run.paused", "run.paused", "run.ended"]);
  });

  it("holds up nothing where it may not be told any more, which the delivery says", async () => {
    const graph = new StateGraph(Log)
      .addNode("nap", () => {
        sleep(400);
        return { log: ["slept"] };
      })
      .addEdge(START, "nap")
      .compile();
    deploy({ graph });
    const thread = new ToldThread();
    await thread.tell();
    receivers.length = 0;
    await until(async () => (await thread.state()).next.length === 0);
    await until(async () => (await thread.deliveries())[0]?.["error"] === "invalid_webhook");
    expect((await thread.state()).values).toEqual({ log: ["slept"] });
  });
});
