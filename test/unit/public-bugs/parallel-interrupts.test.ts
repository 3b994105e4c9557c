import { expect, it } from "vitest";
import { Command, INTERRUPT, interrupt, UnknownInterruptError } from "tidemark";
import { answering, evictable, historyOf, openQuestions, parallel, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: questions of parallel tasks. */

it("PAR-01: one answer for several questions is refused", async () => {
  const { graph } = evictable(
    parallel({ a: () => ({ log: [interrupt("a?")] }), b: () => ({ log: [interrupt("b?")] }) }),
  );
  await graph().invoke({}, thread);
  const open = await openQuestions(graph());
  const refused = graph().invoke(new Command({ resume: "X" }), thread);
  await expect(refused).rejects.toBeInstanceOf(UnknownInterruptError);
  await expect(refused).rejects.toMatchObject({
    reason: "ambiguous",
    pendingIds: open.map((question) => question.id),
  });
  expect(open).toHaveLength(2);
  expect(await openQuestions(graph())).toEqual(open);
});

it("PAR-03: answering one of two leaves the other as it is", async () => {
  const runs = { a: 0, b: 0, join: 0 };
  const { graph } = evictable(
    parallel({
      a: () => {
        runs.a++;
        return { log: [interrupt("a?")] };
      },
      b: () => {
        runs.b++;
        return { log: [interrupt("b?")] };
      },
    })
      .addNode("join", () => ({ log: [`join${++runs.join}`] }))
      .addEdge(["a", "b"], "join"),
  );
  await graph().invoke({}, thread);
  const [a, b] = await openQuestions(graph());
  await graph().invoke(new Command({ resume: { [b?.id ?? ""]: "B" } }), thread);
  expect(await openQuestions(graph())).toEqual([a]);
  expect(runs).toEqual({ a: 1, b: 2, join: 0 });
  const result = await graph().invoke(new Command({ resume: { [a?.id ?? ""]: "A" } }), thread);
  expect(result.log).toEqual(["A", "B", "join1"]);
  expect(runs).toEqual({ a: 2, b: 2, join: 1 });
});

it("PAR-05: branches that have their answer stay finished, in whatever order the answers come", async () => {
  const runs: Record<string, number> = {};
  const count = (name: string): number => (runs[name] = (runs[name] ?? 0) + 1);
  const asks = (name: string) => () => {
    count(name);
    return { log: [`${name}: ${String(interrupt(name))}`] };
  };
  const { graph } = evictable(
    parallel({ first: asks("first"), second: asks("second"), third: asks("third") })
      .addNode("join", () => ({ log: [`join${count("join")}`] }))
      .addEdge(["first", "second", "third"], "join"),
  );
  await graph().invoke({}, thread);
  let open = ["first", "second", "third"];
  for (const name of ["third", "first"]) {
    await graph().invoke(await answering(graph(), { [name]: name.toUpperCase() }), thread);
    open = open.filter((other) => other !== name);
    expect((await openQuestions(graph())).map(({ value }) => value)).toEqual(open);
    expect((await graph().getState(thread)).next).toEqual(open);
  }
  const result = await graph().invoke(await answering(graph(), { second: "SECOND" }), thread);
  expect(result.log).toEqual(["first: FIRST", "second: SECOND", "third: THIRD", "join1"]);
  expect(runs).toEqual({ first: 2, second: 2, third: 2, join: 1 });
});

it("PAR-07: several questions can be answered at once, in one superstep", async () => {
  const asks = (name: string) => () => ({ log: [interrupt(name)] });
  const { graph } = evictable(parallel({ a: asks("a?"), b: asks("b?"), c: asks("c?") }));
  await graph().invoke({}, thread);
  const before = await historyOf(graph());
  const result = await graph().invoke(await answering(graph(), { "c?": 3, "a?": 1, "b?": 2 }), thread);
  expect(result.log).toEqual([1, 2, 3]);
  expect(result[INTERRUPT]).toBeUndefined();
  expect(await historyOf(graph())).toHaveLength(before.length + 1);
});
