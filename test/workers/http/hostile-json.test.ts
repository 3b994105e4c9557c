import { describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { json, request, TestThread, type RunAnswer } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const HOSTILE =
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"z":1}},"toString":1,"a":1,"nested":{"__proto__":[1]}}';

/** Keeps what it gets, notes what its node sees, and asks. */
function keeper(seen: unknown[]) {
  return new StateGraph(Annotation.Root({ v: Annotation<unknown>(), answer: Annotation<unknown>() }))
    .addNode("keep", (state, { context }) => {
      seen.push({ v: state.v, context });
      return { v: state.v, answer: interrupt(state.v) };
    })
    .addEdge(START, "keep")
    .addEdge("keep", END)
    .compile();
}

function expectHarmless(value: unknown): void {
  expect(Object.keys(Object(value))).toEqual(["__proto__", "constructor", "toString", "a", "nested"]);
  expect(Object.hasOwn(Object(value), "__proto__")).toBe(true);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Reflect.get(Object(value), "polluted")).toBeUndefined();
  expect(Reflect.get({}, "polluted")).toBeUndefined();
  expect(Reflect.get({}, "z")).toBeUndefined();
}

function post(thread: TestThread, path: string, body: string): Promise<Response> {
  return request(`${thread.path}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

describe("keys that mean something to JavaScript (SER-13)", () => {
  it("are data, in a node, in the state, in an answer and over the wire", async () => {
    const seen: { v: unknown; context: unknown }[] = [];
    deploy({ keeper: keeper(seen) });
    const thread = new TestThread();
    const response = await post(thread, "/invoke", `{"input":{"v":${HOSTILE}},"context":${HOSTILE}}`);
    const text = await response.clone().text();
    expect(text).toContain(`"v":${HOSTILE}`);
    const paused = (await json(response)) as RunAnswer;
    expectHarmless(seen[0]?.v);
    expectHarmless(seen[0]?.context);

    await thread.evict();
    expectHarmless((await thread.state()).values["v"]);
    expectHarmless((await thread.state()).interrupts[0]?.value);
    const resumed = await post(
      thread,
      "/resume",
      `{"interrupt_id":"${paused.interrupts[0]?.id}","value":${HOSTILE}}`,
    );
    expectHarmless(((await json(resumed)) as RunAnswer).values["answer"]);
    const edited = await post(thread, "/state", `{"values":{"v":{"again":${HOSTILE}}}}`);
    await json(edited);
    await thread.evict();
    const { again } = (await thread.state()).values["v"] as { again: unknown };
    expectHarmless(again);
  });

  it("are no channels of a graph that has none of that name", async () => {
    deploy({ keeper: keeper([]) });
    const thread = new TestThread();
    const answer = await json(
      post(thread, "/invoke", '{"input":{"v":1,"__proto__":{"answer":2},"constructor":3,"toString":4}}'),
    );
    expect(answer).toMatchObject({ values: { v: 1 } });
    expect(Object.keys((answer as RunAnswer).values)).toEqual(["v"]);
  });

  it("are channels of a graph that has them", async () => {
    const spec = Object.fromEntries(
      ["__proto__", "constructor", "toString"].map((name) => [name, Annotation<unknown>()]),
    );
    const seen: string[][] = [];
    const graph = new StateGraph(Annotation.Root(spec))
      .addNode("look", (state) => {
        seen.push(Object.keys(state));
        return {};
      })
      .addEdge(START, "look")
      .addEdge("look", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await json(post(thread, "/invoke", '{"input":{"__proto__":{"a":1},"constructor":2,"toString":3}}'));
    await thread.evict();
    const state = await (await request(`${thread.path}/state`)).text();
    expect(state).toContain('"values":{"__proto__":{"a":1},"constructor":2,"toString":3}');
    expect(seen).toEqual([["__proto__", "constructor", "toString"]]);
  });

  it.for(["__proto__", "constructor"])("is no interrupt id: %s", async (id) => {
    deploy({ keeper: keeper([]) });
    const thread = new TestThread();
    await thread.invoke({ input: { v: 1 } });
    await expect(json(post(thread, "/resume", `{"values":{"${id}":1}}`))).rejects.toMatchObject({
      status: 409,
      code: "interrupt_not_pending",
      details: { interrupt_ids: [id] },
    });
  });
});
