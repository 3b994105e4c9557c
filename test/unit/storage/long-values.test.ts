import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Annotation,
  END,
  type Message,
  type Messages,
  messagesStateReducer,
  START,
  StateGraph,
} from "tidemark";
import { CountedCode, type Executed } from "../../support/counted-code.ts";
import { saverOf, threadTables } from "./support.ts";

/** A channel, and what a turn writes to it. */
interface Work<Value> {
  readonly reducer: (left: Value, right: Value) => Value;
  /** A value of so many members. */
  readonly of: (length: number) => Value;
  /** What is written, by name. */
  readonly part: (name: string) => Value;
  /** What the node returns of a value that it has read, where that is not a part. */
  readonly returned?: (value: Value, name: string) => Value;
}

/** Counts how often each piece of our code runs in a turn on a value with so many members. */
type CountTurn = (code: CountedCode, length: number) => Promise<ReadonlyMap<string, Executed>>;

function work<Value>(kind: Work<Value>): CountTurn {
  return (code, length) => turnOf(code, kind, length);
}

const text = (name: string | number) => `${name} `.padEnd(300, "lorem ipsum ");
const said = (name: string | number) => ({ role: "user", content: text(name) });
const dated = (name: string | number) => ({ content: text(name), at: new Date(2026, 0, 1) });
const message = (name: string | number): Message => ({ type: "human", id: `${name}`, content: text(name) });
const many = <Member>(length: number, make: (index: number) => Member) =>
  Array.from({ length }, (_, index) => make(index));
const entry = (name: string | number): [string, string] => [`key ${name}`, text(name)];
/** It is kept apart. */
const LARGE = "large".repeat(40_000);
const concat = <Member>(left: Member[], right: Member[]) => left.concat(right);

const lists: Work<string[]> = {
  reducer: concat,
  of: (length) => many(length, text),
  part: (name) => [text(name)],
};
const maps: Work<Map<string, string>> = {
  reducer: (left, right) => new Map([...left, ...right]),
  of: (length) => new Map(many(length, entry)),
  part: (name) => new Map([entry(name)]),
};
const sets: Work<Set<string>> = {
  reducer: (left, right) => new Set([...left, ...right]),
  of: (length) => new Set(many(length, text)),
  part: (name) => new Set([text(name)]),
};
const objects: Work<Record<string, string>> = {
  reducer: (left, right) => ({ ...left, ...right }),
  of: (length) => Object.fromEntries(many(length, entry)),
  part: (name) => Object.fromEntries([entry(name)]),
};

/** Takes a long list as it is, and adds a short one. */
const returning = {
  reducer: <Member>(left: Member[], right: Member[]) => (right.length > 1 ? right : left.concat(right)),
};

const works: Readonly<Record<string, CountTurn>> = {
  "texts, appended": work(lists),
  "texts, put in front": work<string[]>({
    reducer: (left, right) => [...right, ...left],
    of: (length) => many(length, text),
    part: (name) => [text(name)],
  }),
  "texts, the one in the middle replaced": work<string[]>({
    reducer: (left, right) => (right.length > 1 ? right : left.with(left.length >> 1, right[0] ?? "")),
    of: (length) => many(length, text),
    part: (name) => [text(name)],
  }),
  "texts, the one in the middle removed": work<string[]>({
    reducer: (left, right) => (right.length > 1 ? right : left.toSpliced(left.length >> 1, 1)),
    of: (length) => many(length, text),
    part: (name) => [text(name)],
  }),
  "texts, all of them returned by the node": work<string[]>({
    ...returning,
    of: (length) => many(length, text),
    part: (name) => [text(name)],
    returned: (all, name) => [...all, text(name)],
  }),
  "objects, all of them returned by the node, one of them another": work<object[]>({
    ...returning,
    of: (length) => many(length, said),
    part: (name) => [said(name)],
    returned: (all, name) => all.with(all.length >> 1, said(name)),
  }),
  "objects, built anew by the node": work<object[]>({
    ...returning,
    of: (length) => many(length, said),
    part: (name) => [said(name)],
    returned: (all, name) => structuredClone([...all, said(name)]),
  }),
  "a list inside of an object, all of it returned by the node": work<{ list: object[]; last: string }>({
    reducer: (left, right) =>
      right.list.length > 1 ? right : { ...right, list: [...left.list, ...right.list] },
    of: (length) => ({ list: many(length, said), last: "" }),
    part: (name) => ({ list: [said(name)], last: name }),
    returned: (all, name) => ({ list: [...all.list, said(name)], last: name }),
  }),
  "objects, appended": work({
    reducer: concat<object>,
    of: (length) => many(length, said),
    part: (name) => [said(name)],
  }),
  "texts, one of them large": work<string[]>({
    reducer: concat,
    of: (length) => [LARGE, ...many(length, text)],
    part: (name) => [text(name)],
  }),
  "objects, one with a large text": work({
    reducer: concat<object>,
    of: (length) => [{ content: LARGE }, ...many(length, said)],
    part: (name) => [said(name)],
  }),
  "objects with dates, appended": work({
    reducer: concat<object>,
    of: (length) => many(length, dated),
    part: (name) => [dated(name)],
  }),
  messages: work<Messages>({
    reducer: messagesStateReducer,
    of: (length) => many(length, message),
    part: (name) => [message(name)],
  }),
  "a list inside of an object": work<{ list: readonly object[] }>({
    reducer: (left, right) => ({ ...left, list: [...left.list, ...right.list] }),
    of: (length) => ({ list: many(length, said) }),
    part: (name) => ({ list: [said(name)] }),
  }),
  "objects, appended with what stands beside the list": work<{ list: object[]; beside: object }>({
    reducer: (left, right) => ({
      ...left,
      list: [...left.list, ...right.list.map((each) => ({ ...each, of: left.beside }))],
    }),
    of: (length) => ({ list: many(length, said), beside: many(9, said) }),
    part: (name) => ({ list: [said(name)], beside: [] }),
  }),
  "a Map": work(maps),
  "a Set": work(sets),
  "an object": work(objects),
};

/** So many turns before the one that is counted: what is written whole of a new thread is so in the first of them. */
const TURNS_BEFORE = 4;

/** A thread with turns on a channel of this kind. */
function threadOf<Value>({ reducer, of, part, returned = (_, name) => part(name) }: Work<Value>) {
  const storage = threadTables();
  const newSaver = () => saverOf(storage);
  const State = Annotation.Root({ all: Annotation({ reducer, default: () => of(0) }) });
  const graph = new StateGraph(State)
    .addNode("answer", ({ all }, { runId }) => ({ all: returned(all, `answer of ${runId}`) }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: newSaver() });
  const turn = (name: string, all: Value) =>
    graph.invoke({ all }, { runId: name, configurable: { thread_id: "t" } });
  return { storage, newSaver, turn };
}

async function turnOf<Value>(code: CountedCode, kind: Work<Value>, length: number) {
  const { storage, turn } = threadOf(kind);
  await turn("first", kind.of(length));
  for (let index = 0; index < TURNS_BEFORE; index++) await turn(`turn ${index}`, kind.part(`turn ${index}`));
  code.take();
  await turn("counted", kind.part("counted"));
  const counts = code.take();
  const newest = storage.sql.exec("SELECT level FROM checkpoints ORDER BY id DESC LIMIT 3").toArray();
  expect(newest.map(({ level }) => level)).toEqual([0, 0, 0]);
  return counts;
}

const FEW = 200;
const MORE = 1200;

/**
 * How often a turn visits each of the members that are there already, by the function that does. Loops inside of V8 are not
 * counted: those that copy a list, or make lists of keys and values.
 */
async function visits(code: CountedCode, countTurn: CountTurn): Promise<Record<string, number>> {
  const [few, more] = [await countTurn(code, FEW), await countTurn(code, MORE)];
  const found: Record<string, number> = {};
  for (const [piece, { file, name, count }] of more) {
    const times = Math.round((count - (few.get(piece)?.count ?? 0)) / (MORE - FEW));
    const place = `${file} ${name}`.trim();
    if (times > 0) found[place] = Math.max(found[place] ?? 0, times);
  }
  return found;
}

describe("a turn, which changes a long value twice, visits a member that stays", { timeout: 30_000 }, () => {
  const code = new CountedCode();
  beforeAll(() => code.start());
  afterAll(() => code.stop());

  /** A run begins with what is large: it is looked for. */
  const lookedFor = { "storage/value-walk.ts find": 1 };
  const ofObjects = { "values/adopt.ts isWhollyAdopted": 1, "values/adopted.ts": 1 };
  const oncePerChange = { "values/shared-ends.ts identical": 2 };
  it.each([
    ["texts, appended", oncePerChange],
    ["texts, put in front", { "values/shared-ends.ts tailOf": 2 }],
    [
      "texts, the one in the middle replaced",
      { "values/shared-ends.ts identical": 1, "values/shared-ends.ts tailOf": 1 },
    ],
    [
      "texts, the one in the middle removed",
      { "values/shared-ends.ts identical": 1, "values/shared-ends.ts tailOf": 1 },
    ],
    ["objects, appended", oncePerChange],
    ["objects with dates, appended", oncePerChange],
    ["a list inside of an object", oncePerChange],
    ["objects, appended with what stands beside the list", oncePerChange],
    ["texts, one of them large", { ...oncePerChange, ...lookedFor }],
    ["objects, one with a large text", { ...oncePerChange, ...lookedFor, ...ofObjects }],
    ["messages", {}],
    ["texts, all of them returned by the node", oncePerChange],
    [
      "objects, all of them returned by the node, one of them another",
      { "values/shared-ends.ts identical": 2, "values/shared-ends.ts tailOf": 1 },
    ],
    ["a list inside of an object, all of it returned by the node", oncePerChange],
    ["a Set", oncePerChange],
    // Its key, and its value.
    ["a Map", { "values/shared-ends.ts identical": 4, "values/copy-new.ts": 2 }],
    [
      "an object",
      {
        "values/shared-ends.ts identical": 4,
        "values/copy-new.ts": 2,
        "values/set-own.ts setOwn": 2,
        "values/set-own.ts": 2,
      },
    ],
  ])("to see that it is the same: %s", async (name, expected) => {
    const countTurn = works[name];
    if (countTurn === undefined) throw new Error(`There is no work "${name}".`);
    expect(await visits(code, countTurn)).toEqual(expected);
  });

  it("and compares it by content once where the node has built all anew", async () => {
    const countTurn = works["objects, built anew by the node"];
    if (countTurn === undefined) throw new Error("There is such a work.");
    expect(await visits(code, countTurn)).toMatchObject({ "storage/patch/differ.ts #compareParts": 1 });
  });

  it("and nothing of a large text that stays", async () => {
    const countTurn = works["texts, one of them large"];
    const counts = await countTurn?.(code, FEW);
    const looked = Array.from(counts ?? []).filter(
      ([, { name, count }]) => count > 0 && ["utf8Length", "hashBytes"].includes(name),
    );
    expect(looked).toEqual([]);
  });
});

/** What stands in a collection of many, and is kept apart, under a name that no other has. */
const named: [string, string][] = [LARGE, ...many(100, (index) => `text ${index}`)].map((each) => [
  each.slice(0, 9),
  each,
]);

const TURNS = 80;

/** All turns; then how large bodies have become, of how many levels they are, and what another saver reads. */
async function inLargeTurns<Value>(kind: Work<Value>) {
  const { storage, newSaver, turn } = threadOf(kind);
  await turn("first", kind.of(named.length));
  for (let index = 0; index < TURNS; index++) await turn(`turn ${index}`, kind.part(`turn ${index}`));
  const statement = "SELECT max(length(body)) AS largest, count(DISTINCT level) AS levels FROM checkpoints";
  const last = await turn("last", kind.part("last"));
  const stored = await newSaver().getTuple({ configurable: { thread_id: "t" } });
  return {
    ...storage.sql.exec<{ largest: number; levels: number }>(statement).one(),
    parts: storage.sql.exec("SELECT count(*) AS n FROM parts").one()["n"],
    isRead: isDeepStrictEqual(stored?.checkpoint.channel_values["all"], last.all),
  };
}

it.each([
  [
    "a list",
    () => inLargeTurns({ ...lists, of: (length) => named.slice(0, length).map(([, each]) => each) }),
  ],
  ["a Map", () => inLargeTurns({ ...maps, of: (length) => new Map(named.slice(0, length)) })],
  [
    "a Set",
    () => inLargeTurns({ ...sets, of: (length) => new Set(named.slice(0, length).map(([, each]) => each)) }),
  ],
  [
    "an object",
    () => inLargeTurns({ ...objects, of: (length) => Object.fromEntries(named.slice(0, length)) }),
  ],
])(
  "what is kept apart stays so, however often %s in which it stands is written",
  { timeout: 30_000 },
  async (_, inTurns) => {
    const { largest, levels, parts, isRead } = await inTurns();
    expect({ parts, isRead }).toEqual({ parts: 1, isRead: true });
    expect(levels).toBeGreaterThan(2);
    expect(largest).toBeLessThan(LARGE.length / 4);
  },
);
