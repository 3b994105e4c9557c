import { expect, it } from "vitest";
import { Command, interrupt } from "tidemark";
import { chain, evictable, openQuestions, thread, type Graph } from "./support.ts";

/** Questions of functions that a node calls, as an agent calls its tools. */

const approve = async (call: string): Promise<string> => {
  await Promise.resolve();
  return `${call}: ${String(interrupt(`${call}?`))}`;
};

async function answer(graph: Graph, value: string): Promise<void> {
  const question = (await openQuestions(graph)).find((each) => each.value === value);
  await graph.invoke(new Command({ resume: { [question?.id ?? ""]: `yes to ${value}` } }), thread);
}

it("in a loop: one question after the other, each with an id of its own", async () => {
  const { graph } = evictable(
    chain({
      agent: async () => {
        const log: string[] = [];
        for (const call of ["search", "pay", "pay"]) log.push(await approve(call));
        return { log };
      },
    }),
  );
  await graph().invoke({}, thread);
  const ids = new Set<string | undefined>();
  for (const value of ["search?", "pay?", "pay?"]) {
    const open = await openQuestions(graph());
    expect(open.map((question) => question.value)).toEqual([value]);
    ids.add(open[0]?.id);
    await answer(graph(), value);
  }
  expect(ids.size).toBe(3);
  expect((await graph().getState(thread)).values.log).toEqual([
    "search: yes to search?",
    "pay: yes to pay?",
    "pay: yes to pay?",
  ]);
});

it.each([[["search?", "pay?", "mail?"]], [["mail?", "search?", "pay?"]]])(
  "in parallel: all are open at once, and can be answered as %j",
  async (order) => {
    const { graph } = evictable(
      chain({ agent: async () => ({ log: await Promise.all(["search", "pay", "mail"].map(approve)) }) }),
    );
    await graph().invoke({}, thread);
    const ids = (await openQuestions(graph())).map(({ id }) => id);
    for (const [index, value] of order.entries()) {
      const open = await openQuestions(graph());
      expect(open).toHaveLength(3 - index);
      expect(ids).toEqual(expect.arrayContaining(open.map(({ id }) => id)));
      await answer(graph(), value);
    }
    expect((await graph().getState(thread)).values.log).toEqual([
      "search: yes to search?",
      "pay: yes to pay?",
      "mail: yes to mail?",
    ]);
  },
);
