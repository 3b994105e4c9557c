import { afterEach, describe, expect, it } from "vitest";
import { objectName } from "../../../src/http/object-name.ts";
import { eventsOf } from "../../support/events.ts";
import { injectFaults, platformFaults } from "../../support/faults.ts";
import { gated } from "../../support/gated.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** Faults that users met with tests of Durable Objects, by their ids in the collection of cases. */

const input = { input: { log: ["in"] } };

afterEach(() => injectFaults());

describe("TES-01: calls of one object that throw side by side", () => {
  const thread = new TestThread();

  it("are all caught", async () => {
    const { gate, graph } = gated();
    gate.open();
    deploy({ graph });
    const { run_id: runId } = await thread.invoke(input);
    await thread.evict();
    const name = objectName("", thread.id);
    injectFaults((call) => (call.name === name ? platformFaults.connection() : undefined));
    const calls = Array.from({ length: 5 }, () =>
      thread.stub.getRun({ tenant: "", threadId: thread.id, runId }),
    );
    for (const { status, ...call } of await Promise.allSettled(calls)) {
      expect(status).toBe("rejected");
      expect("reason" in call && String(call.reason)).toContain("Network connection lost");
    }
  });

  it("leave the object, and others, as they were for the next test", async () => {
    expect((await thread.state()).values).toEqual({ log: ["in", "n"] });
    expect((await new TestThread().invoke(input)).values).toEqual({ log: ["in", "n"] });
  });
});

describe("TES-03: a stream of which one event was read", () => {
  const left = new TestThread();
  const { gate, graph } = gated();

  it("is left open at the end of a test", async () => {
    deploy({ graph });
    const response = await left.post("/stream", { ...input, stream_mode: "values" });
    expect((await eventsOf(response).next()).value).toMatchObject({ event: "metadata" });
    await gate.reached();
  });

  it("neither fails the next one, nor holds up its run", async () => {
    gate.open();
    expect((await new TestThread().invoke(input)).values).toEqual({ log: ["in", "n"] });
    await expect.poll(async () => (await left.state()).values).toEqual({ log: ["in", "n"] });
  });
});
