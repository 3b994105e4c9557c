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
import { SqliteSaver } from "../../../src/storage/sqlite-saver.ts";
import { threadMigrations } from "../../../src/thread/migrations.ts";
import { CountedCode, type Executed } from "../../support/counted-code.ts";
import { MemorySqlStorage } from "../../support/sql-storage.ts";

/** A channel, and what a turn writes to it. */
interface Work<Value> {
  readonly reducer: (left: Value, right: Value) => Value;
  /** A value of so many members. */
  readonly of: (length: number) => Value;
  /** What is written, by name. */
  readonly part: (name: string) => Value;
}

/** Counts how often each piece of our code runs in a turn on a value with so many members. */
type CountTurn = (code: CountedCode, length: number) => Promise<ReadonlyMap<string, Executed>>;

function work<Value>(
  ...[reducer, of, part]: [Work<Value>["reducer"], Work<Value>["of"], Work<Value>["part"]]
): CountTurn {
  return (code, length) => turnOf(code, { reducer, of, part }, length);
}

const text = (name: string | number) => `${name} `.padEnd(300, "lorem ipsum ");
const said = (name: string | number) => ({ role: "user", content: text(name) });
const message = (name: string | number): Message => ({ type: "human", id: `${name}`, content: text(name) });
const many = <Member>(length: number, make: (index: number) => Member) =>
  Array.from({ length }, (_, index) => make(index));
const entry = (name: string | number): [string, string] => [`key ${name}`, text(name)];
const concat = <Member>(left: Member[], right: Member[]) => left.concat(right);

const works: Readonly<Record<string, CountTurn>> = {
  "texts, appended": work(
    concat<string>,
    (length) => many(length, text),
    (name) => [text(name)],
  ),
  "texts, put in front": work<string[]>(
    (left, right) => [...right, ...left],
    (length) => many(length, text),
    (name) => [text(name)],
  ),
  "texts, the one in the middle replaced": work<string[]>(
    (left, right) => (right.length > 1 ? right : left.with(left.length >> 1, right[0] ?? "")),
    (length) => many(length, text),
    (name) => [text(name)],
  ),
  "texts, the one in the middle removed": work<string[]>(
    (left, right) => (right.length > 1 ? right : left.toSpliced(left.length >> 1, 1)),
    (length) => many(length, text),
    (name) => [text(name)],
  ),
  "objects, appended": work(
    concat<object>,
    (length) => many(length, said),
    (name) => [said(name)],
  ),
  messages: work<Messages>(
    messagesStateReducer,
    (length) => many(length, message),
    (name) => [message(name)],
  ),
  "a list inside of an object": work<{ list: readonly object[] }>(
    (left, right) => ({ ...left, list: [...left.list, ...right.list] }),
    (length) => ({ list: many(length, said) }),
    (name) => ({ list: [said(name)] }),
  ),
  "a Map": work<Map<string, string>>(
    (left, right) => new Map([...left, ...right]),
    (length) => new Map(many(length, entry)),
    (name) => new Map([entry(name)]),
  ),
  "a Set": work<Set<string>>(
    (left, right) => new Set([...left, ...right]),
    (length) => new Set(many(length, text)),
    (name) => new Set([text(name)]),
  ),
  "an object": work<Record<string, string>>(
    (left, right) => ({ ...left, ...right }),
    (length) => Object.fromEntries(many(length, entry)),
    (name) => Object.fromEntries([entry(name)]),
  ),
};

/** So many turns before the one that is counted: what is written whole of a new thread is so in the first of them. */
const TURNS_BEFORE = 4;

async function turnOf<Value>(code: CountedCode, { reducer, of, part }: Work<Value>, length: number) {
  const storage = new MemorySqlStorage();
  for (const { sql } of threadMigrations) storage.run(sql);
  const saver = new SqliteSaver({
    sql: storage.sql,
    transact: (write) => write(),
    prefix: "",
    randomId: () => crypto.randomUUID(),
    onUnreadable: (error) => {
      throw error;
    },
  });
  const State = Annotation.Root({ all: Annotation({ reducer, default: () => of(0) }) });
  const graph = new StateGraph(State)
    .addNode("answer", (_, { runId }) => ({ all: part(`answer of ${runId}`) }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver });
  const turn = (name: string, all: Value) =>
    graph.invoke({ all }, { runId: name, configurable: { thread_id: "t" } });
  await turn("first", of(length));
  for (let index = 0; index < TURNS_BEFORE; index++) await turn(`turn ${index}`, part(`turn ${index}`));
  code.take();
  await turn("counted", part("counted"));
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

describe("a turn, which changes a long value twice, visits a member that stays", () => {
  const code = new CountedCode();
  beforeAll(() => code.start());
  afterAll(() => code.stop());

  const oncePerChange = { "shared-ends.ts identical": 2 };
  it.each([
    ["texts, appended", oncePerChange],
    ["texts, put in front", { "shared-ends.ts tailOf": 2 }],
    ["texts, the one in the middle replaced", { "shared-ends.ts identical": 1, "shared-ends.ts tailOf": 1 }],
    ["texts, the one in the middle removed", { "shared-ends.ts identical": 1, "shared-ends.ts tailOf": 1 }],
    ["objects, appended", oncePerChange],
    ["a list inside of an object", oncePerChange],
    ["messages", {}],
    ["a Set", oncePerChange],
    // Its key, and its value.
    ["a Map", { "shared-ends.ts identical": 4 }],
    [
      "an object",
      {
        "shared-ends.ts identical": 4,
        "copy-new.ts copyLongRecord": 2,
        "copy-new.ts": 2,
        "set-own.ts setOwn": 2,
        "set-own.ts": 2,
      },
    ],
  ])("to see that it is the same: %s", async (name, expected) => {
    const countTurn = works[name];
    if (countTurn === undefined) throw new Error(`There is no work "${name}".`);
    expect(await visits(code, countTurn)).toEqual(expected);
  });
});
