import { describe, expect, it } from "vitest";
import { Annotation, interrupt, START, StateGraph } from "../../../src/index.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** Values that systems like this one were seen to lose, by their ids in the collection of cases. */

const State = Annotation.Root({ v: Annotation<unknown>(), done: Annotation<boolean>() });

/** Writes the value, asks, and looks at the value when the answer has come. */
function keeper(make: () => unknown, look: (value: unknown) => void) {
  return new StateGraph(State)
    .addNode("write", () => ({ v: make() }))
    .addNode("look", ({ v }) => {
      look(v);
      return { done: interrupt<string, boolean>("go on?") };
    })
    .addEdge(START, "write")
    .addEdge("write", "look")
    .compile();
}

const cyclic = (): unknown => {
  const value: Record<string, unknown> = { a: 1 };
  value["self"] = value;
  return value;
};

describe("a value is the same before a pause and after the object was evicted", () => {
  it.each<[string, () => unknown, (value: never) => unknown, unknown]>([
    ["SER-01: a BigInt", () => ({ id: 10n, keep: "x" }), (value) => value, { id: 10n, keep: "x" }],
    [
      "SER-03: a Date, and an invalid one",
      () => ({ at: new Date(0), bad: new Date(Number.NaN) }),
      ({ at, bad }: { at: Date; bad: Date }) => [at instanceof Date, at.getTime(), bad.getTime()],
      [true, 0, Number.NaN],
    ],
    [
      "SER-05: an error",
      () =>
        Object.assign(new TypeError("m", { cause: new AggregateError([new Error("a")], "all") }), {
          code: "E1",
        }),
      (error: TypeError & { code: string; cause: AggregateError }) => {
        return [error instanceof TypeError, error.name, error.message, error.code, error.cause.errors.length];
      },
      [true, "TypeError", "m", "E1", 1],
    ],
    [
      "SER-07: a cycle",
      cyclic,
      (value: { a: number; self: unknown }) => [value.a, value.self === value],
      [1, true],
    ],
    [
      "SER-09: typed arrays and buffers",
      () => ({ f: new Float64Array([1.5, -0]), i: new Int32Array([1, 2]), b: new Uint8Array([1, 2]).buffer }),
      (value) => value,
      { f: new Float64Array([1.5, -0]), i: new Int32Array([1, 2]), b: new Uint8Array([1, 2]).buffer },
    ],
    [
      "SER-11: undefined in lists and objects",
      () => ({ list: [1, undefined, 3], gone: undefined }),
      (value: { list: unknown[] }) => [value.list.length, 1 in value.list, value.list[1], Object.keys(value)],
      [3, true, undefined, ["list", "gone"]],
    ],
  ])("%s", async (_, make, show, expected) => {
    const seen: unknown[] = [];
    deploy({ keeper: keeper(make, (value) => seen.push(show(value as never))) });
    const thread = new TestThread();
    const asked = await thread.invoke({ input: { done: false } });
    await thread.evict();
    const answered = await thread.resume({ interrupt_id: asked.interrupts[0]?.id, value: true });
    expect(answered.values["done"]).toBe(true);
    expect(seen).toStrictEqual([expected, expected]);
  });

  it("SER-13: a key called __proto__ of a request", async () => {
    const seen: unknown[] = [];
    const look = (value: unknown): void => {
      seen.push([Object.keys(Object(value)), Object(value).polluted, Object.getPrototypeOf(value)]);
    };
    const graph = new StateGraph(State)
      .addNode("look", ({ v }) => {
        look(v);
        return { done: interrupt<string, boolean>("go on?") };
      })
      .addEdge(START, "look")
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const body = '{"input":{"v":{"__proto__":{"polluted":1},"constructor":{"prototype":{"z":1}},"a":1}}}';
    await thread.postText("/invoke", body).then((response) => response.json());
    await thread.evict();
    const state = await thread.state();
    await thread.resume({ interrupt_id: state.interrupts[0]?.id, value: true });
    const kept = [["__proto__", "constructor", "a"], undefined, Object.prototype];
    expect(seen).toEqual([kept, kept]);
    expect(Object({}).polluted).toBeUndefined();
    expect(Object({}).z).toBeUndefined();
  });
});

describe("writes that wait for their superstep", () => {
  it("SER-11: may be undefined, which is not the same as nothing", async () => {
    const Two = Annotation.Root({ ...State.spec, w: Annotation<unknown>() });
    const graph = new StateGraph(Two)
      .addNode("empty", () => ({ v: undefined }))
      .addNode("ask", () => ({ w: interrupt<string, string>("?") }))
      .addNode("look", (state) => ({ done: "v" in state && state.v === undefined && state.w === "yes" }))
      .addEdge(START, "empty")
      .addEdge(START, "ask")
      .addEdge(["empty", "ask"], "look")
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const asked = await thread.invoke({ input: { v: "before" } });
    await thread.evict();
    expect((await thread.state()).next).toEqual(["ask"]);
    const answered = await thread.resume({ interrupt_id: asked.interrupts[0]?.id, value: "yes" });
    expect(answered.values["done"]).toBe(true);
  });

  it("SER-05: an error that a node threw is in the state with class, code and causes", async () => {
    const graph = new StateGraph(State)
      .addNode("fail", () => {
        throw Object.assign(
          new TypeError("m", { cause: new Error("inner", { cause: new RangeError("root") }) }),
          {
            code: "E1",
          },
        );
      })
      .addEdge(START, "fail")
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await expect(thread.invoke({ input: { done: false } })).rejects.toMatchObject({ code: "node_failed" });
    await thread.evict();
    const [task] = (await thread.state()).tasks;
    expect(JSON.parse(task?.error ?? "null")).toMatchObject({
      name: "TypeError",
      message: "m",
      code: "E1",
      cause: { name: "Error", message: "inner", cause: { name: "RangeError", message: "root" } },
    });
  });
});
