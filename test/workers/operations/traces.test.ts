import { afterEach, describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { otlp, type OtlpOptions } from "../../../src/otlp/index.ts";
import type { Span } from "../../../src/pregel/span.ts";
import type { OpenTraces } from "../../../src/thread/attempt/traces.ts";
import { crashAt } from "../../support/crash-points.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { recordsOf } from "../../support/records.ts";
import { reports } from "../../support/reports.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy, tracing } from "../graphs.ts";

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, string> }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: unknown };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** An endpoint that takes spans over HTTP, and a thread whose runs it gets to see. */
class SeenThread extends TestThread {
  readonly #endpoint = crypto.randomUUID();

  constructor(behaviour = "ok", options: Partial<OtlpOptions> = {}) {
    super();
    const url = `http://receiver/${behaviour}/${this.#endpoint}`;
    tracing.open = otlp({ url, service: "desk", headers: () => ({ "x-key": "k" }), ...options });
  }

  async received(): Promise<readonly { readonly headers: Record<string, string>; readonly body: string }[]> {
    const answer = await fetch(`http://receiver/received/${this.#endpoint}`);
    return answer.json();
  }

  /** The spans that have come, once there are so many. */
  async spans(count: number): Promise<ReceivedSpan[]> {
    const all = async (): Promise<ReceivedSpan[]> =>
      (await this.received()).flatMap(({ body }) =>
        (JSON.parse(body) as ExportRequest).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      );
    await until(async () => (await all()).length >= count);
    return all();
  }
}

function attributesOf({ attributes }: ReceivedSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** A span by its name. */
function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const span = spans.find((of) => of.name === name);
  if (span === undefined) throw new Error(`Of ${spans.map((of) => of.name).join(", ")} none is ${name}.`);
  return span;
}

const asking = new StateGraph(Log)
  .addNode("read", () => scheduler.wait(5).then(() => ({ log: ["read"] })))
  .addNode("ask", () => ({ log: [String(interrupt("Name?"))] }))
  .addEdge(START, "read")
  .addEdge("read", "ask")
  .addEdge("ask", END)
  .compile();

const failing = new StateGraph(Log)
  .addNode("fail", (_, { context }) => {
    throw new TypeError(`Failed with ${JSON.stringify(context)}`);
  })
  .addEdge(START, "fail")
  .compile();

const start = { input: { log: ["an-input"] }, context: { key: "a-context" } };

afterEach(() => {
  delete tracing.open;
});

describe("traces", () => {
  it("have a span of the run, each superstep and each task, in the words for agents", async () => {
    deploy({ asking });
    const thread = new SeenThread();
    const { run_id: runId, checkpoint_id: checkpoint } = await thread.invoke(start);
    const spans = await thread.spans(5);
    const run = named(spans, "invoke_agent asking");
    expect(attributesOf(run)).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "asking",
      "gen_ai.conversation.id": thread.id,
      "session.id": thread.id,
      "tidemark.run.id": runId,
      "tidemark.run.attempt": "1",
      "tidemark.status": "interrupted",
      "tidemark.checkpoint.id": checkpoint,
    });
    expect(run.parentSpanId).toBeUndefined();
    const [first, second] = [named(spans, "superstep 1"), named(spans, "superstep 2")];
    expect(first.parentSpanId).toBe(run.spanId);
    expect(named(spans, "read").parentSpanId).toBe(first.spanId);
    expect(named(spans, "ask").parentSpanId).toBe(second.spanId);
    expect(attributesOf(named(spans, "ask"))).toMatchObject({ "tidemark.status": "interrupted" });
    expect(attributesOf(second)).toMatchObject({ "tidemark.status": "interrupted" });
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const { startTimeUnixNano: from, endTimeUnixNano: to } of spans) {
      expect(from).toMatch(/^\d{13}000000$/);
      expect(to >= from).toBe(true);
    }
    const [{ headers, body } = { headers: {}, body: "" }] = await thread.received();
    expect(headers).toMatchObject({ "content-type": "application/json", "x-key": "k" });
    expect(JSON.parse(body)).toMatchObject({
      resourceSpans: [
        { resource: { attributes: [{ key: "service.name", value: { stringValue: "desk" } }, {}] } },
      ],
    });
  });

  it("go on with the trace of the request, and a resumed run is linked to the one that had paused", async () => {
    deploy({ asking });
    const thread = new SeenThread();
    const [traceId, parent] = ["1".repeat(32), "2".repeat(16)];
    const asked = (await json(
      request(`${thread.path}/invoke`, {
        method: "POST",
        headers: { "content-type": "application/json", traceparent: `00-${traceId}-${parent}-01` },
        body: JSON.stringify(start),
      }),
    )) as { readonly interrupts: readonly { readonly id: string }[] };
    await thread.resume({ interrupt_id: asked.interrupts[0]?.id, value: "Ann" });
    const runs = (await thread.spans(8)).filter(({ name }) => name === "invoke_agent asking");
    expect(runs).toHaveLength(2);
    const [paused, resumed] = runs;
    expect(paused).toMatchObject({ traceId, parentSpanId: parent, links: [] });
    expect(resumed?.traceId).not.toBe(traceId);
    expect(resumed?.links).toEqual([{ traceId, spanId: paused?.spanId }]);
  });

  it.for([`00-${"1".repeat(32)}-${"2".repeat(16)}-00`])(
    "leave out what was not sampled: %s",
    async (traceparent) => {
      deploy({ asking });
      const thread = new SeenThread();
      const headers = { "content-type": "application/json", traceparent };
      await json(request(`${thread.path}/invoke`, { method: "POST", headers, body: JSON.stringify(start) }));
      await scheduler.wait(50);
      expect(await thread.received()).toEqual([]);
    },
  );

  it("link a run that was taken up again to its attempt before", async () => {
    deploy({ asking });
    const thread = new SeenThread();
    crashAt("run.outcome_staged", thread.id);
    await thread.invoke(start);
    const run = named(await thread.spans(3), "invoke_agent asking");
    expect(attributesOf(run)).toMatchObject({ "tidemark.run.attempt": "2" });
    expect(run.links).toEqual([{ traceId: run.traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
    expect(run.links[0]?.spanId).not.toBe(run.spanId);
  });

  it("say how a run has failed, and nothing of what was said unless they are asked to", async () => {
    deploy({ failing });
    const silent = new SeenThread();
    await expect(silent.invoke(start)).rejects.toThrow("node_failed");
    const failed = named(await silent.spans(3), "fail");
    expect(failed.status).toEqual({ code: 2 });
    expect(attributesOf(failed)).toMatchObject({ "error.type": "TypeError", "tidemark.status": "failed" });
    for (const { body } of await silent.received())
      for (const secret of ["an-input", "a-context"]) expect(body).not.toContain(secret);

    const telling = new SeenThread("ok", { payloads: true });
    await expect(telling.invoke(start)).rejects.toThrow("node_failed");
    const told = named(await telling.spans(3), "fail");
    expect(told.status).toEqual({ code: 2, message: 'Failed with {"key":"a-context"}' });
    expect(attributesOf(told)["input.value"]).toBe('{"log":["an-input"]}');
  });

  it.for(["broken", "gone", "redirect"])("never harm a run whose endpoint is %s", async (behaviour) => {
    deploy({ asking });
    const thread = new SeenThread(behaviour);
    expect(await thread.invoke(start)).toMatchObject({ status: "interrupted" });
    await until(() => recordsOf(thread.id).some(({ event }) => event === "traces.not_taken"));
    expect(recordsOf(thread.id).find(({ event }) => event === "traces.not_taken")).toMatchObject({
      level: "warn",
      code: expect.stringMatching(/^(500|410|307)$/),
    });
  });

  it("go with the next run when the endpoint could not take them", async () => {
    deploy({ asking });
    const thread = new SeenThread("flaky");
    const asked = await thread.invoke(start);
    await until(async () => (await thread.received()).length === 1);
    await thread.resume({ interrupt_id: asked.interrupts[0]?.id, value: "Ann" });
    const spans = await thread.spans(5 + 5 + 3);
    expect(spans.filter(({ name }) => name === "invoke_agent asking")).toHaveLength(3);
  });

  it.for(["open", "begin", "part", "end", "end of a graph", "flush", "late flush"])(
    "never harm a run with what a tracer throws at: %s",
    async (place) => {
      tracing.open = throwingAt(place);
      deploy({ outer });
      const thread = new TestThread();
      const faults = (): unknown[] => reports().filter((error) => error instanceof TracerFault);
      const before = faults().length;
      for (const runs of [1, 2]) {
        expect(await thread.invoke(start)).toMatchObject({ status: "success" });
        const count = before + (place === "open" ? 1 : runs);
        await until(() => faults().length >= count);
        expect(faults()).toHaveLength(count);
      }
    },
  );
});

const outer = new StateGraph(Log)
  .addNode(
    "inner",
    new StateGraph(Log)
      .addNode("read", () => ({ log: ["read"] }))
      .addEdge(START, "read")
      .compile(),
  )
  .addEdge(START, "inner")
  .compile();

class TracerFault extends Error {}

/** A tracer that has a fault in one of its methods. */
function throwingAt(place: string): OpenTraces {
  const pass = (at: string): void => {
    if (at === place) throw new TracerFault(at);
  };
  const span: Span = {
    begin: () => {
      pass("part");
      return span;
    },
    end: () => pass("end"),
    endGraph: () => pass("end of a graph"),
  };
  return () => {
    pass("open");
    return {
      begin: () => {
        pass("begin");
        return span;
      },
      flush: () => {
        pass("flush");
        return Promise.resolve().then(() => pass("late flush"));
      },
    };
  };
}
