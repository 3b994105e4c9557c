import * as theirs from "@langchain/langgraph";
import {
  AIMessage,
  HumanMessage,
  RemoveMessage as TheirRemoval,
  type BaseMessage,
} from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import {
  addMessages,
  type Message,
  type Messages,
  messagesReducer,
  messagesStateReducer,
  RemoveMessage,
} from "tidemark";
import { adopt, handOut } from "../../../src/values/adopt.ts";

type Shown = Record<string, unknown>;
interface Read {
  readonly id?: string | undefined;
  readonly content: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
  readonly name?: unknown;
}

function show(type: string, { id, content, tool_calls, tool_call_id, name }: Read): Shown {
  return {
    type,
    id: id !== undefined && id.length > 20 ? "minted" : id,
    content,
    tool_calls,
    tool_call_id,
    name,
  };
}

const showTheirs = (messages: readonly BaseMessage[]): Shown[] =>
  messages.map((message) => show(message.getType(), message as Read));
const showOurs = (messages: Messages): Shown[] =>
  (messages as readonly (Read & { type: string })[]).map((message) => show(message.type, message));

const human = (id: string, content = "x"): Message => ({ type: "human", id, content });
const removal = (id: string): Message => ({ type: "remove", id, content: "" });

/** Left and right, in a form that both take. */
const merges: Record<string, [left: unknown, right: unknown]> = {
  appends: [[human("1")], [human("2")]],
  "replaces by id": [[human("1"), human("2")], [human("1", "new")]],
  removes: [[human("1"), human("2")], [removal("1")]],
  "removes, then has it again": [
    [human("1"), human("2")],
    [removal("1"), human("1", "again")],
  ],
  "adds and removes at once": [[human("1")], [human("5"), removal("5")]],
  "has an id twice on the right": [[], [human("5", "a"), human("5", "b")]],
  "has an id twice on the left": [[human("5", "a"), human("5", "b")], [human("5", "c")]],
  "removes all": [[human("1")], [human("2"), removal("__remove_all__"), human("3")]],
  "removes all twice": [[], [removal("__remove_all__"), human("3"), removal("__remove_all__"), human("4")]],
  "has single messages": [human("1"), human("2")],
  "has text": [[], "hi"],
  "has pairs": [
    [],
    [
      ["user", "a"],
      ["ai", "b"],
      ["assistant", "c"],
      ["system", "d"],
      ["human", "e"],
    ],
  ],
  "has one pair": [[], ["user", "hi"]],
  "has a role": [[], { role: "user", content: "q", id: "z", name: "n" }],
  "has a tool's answer": [[], { role: "tool", content: "q", tool_call_id: "c1" }],
  "has calls of tools": [
    [],
    { type: "ai", content: "q", tool_calls: [{ id: "c", name: "f", args: { a: 1 } }] },
  ],
  "has OpenAI's calls": [
    [],
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
    },
  ],
  "has a serialized message": [
    [],
    {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "AIMessage"],
      kwargs: { content: "k", id: "9" },
    },
  ],
};

describe.each(Object.entries(merges))("an update that %s", (_, [left, right]) => {
  const expected = (): Shown[] =>
    showTheirs(theirs.messagesStateReducer(structuredClone(left) as never, structuredClone(right) as never));

  it("merges as in LangGraph", () => {
    expect(showOurs(messagesStateReducer(left as Messages, right as Messages))).toEqual(expected());
  });

  it("merges into a list of a state", () => {
    const merged = messagesStateReducer(
      adopt(Array.isArray(left) ? left : [left]) as Messages,
      right as Messages,
    );
    expect(showOurs(merged)).toEqual(expected());
  });
});

it.each([
  ["a removal of what is not there", [human("1")], [removal("9")], 'no message "9" to remove', undefined],
  ["an unknown role", [], { role: "weird", content: "x" }, "weird", "MESSAGE_COERCION_FAILURE"],
  ["an object of another kind", [], { foo: 1 }, "foo", "MESSAGE_COERCION_FAILURE"],
  ["a number", [], 5, "number 5", "MESSAGE_COERCION_FAILURE"],
  ["nothing", [], undefined, "undefined", "MESSAGE_COERCION_FAILURE"],
])("%s is refused by both", (_, left, right, text, code) => {
  expect(() => theirs.messagesStateReducer(left as never, right as never)).toThrow();
  expect(() => messagesStateReducer(left as Messages, right as Messages)).toThrow(
    expect.objectContaining({
      name: "InvalidUpdateError",
      message: expect.stringContaining(text),
      ...(code === undefined ? {} : { lc_error_code: code }),
    }),
  );
});

it("mints ids by what it is given, and only where there is none", () => {
  let count = 0;
  const reduce = messagesReducer(() => `m${++count}`);
  expect(reduce(["a"], ["b", { role: "user", content: "c", id: "own" }]).map(({ id }) => id)).toEqual([
    "m1",
    "m2",
    "own",
  ]);
});

it("has the name addMessages too, and RemoveMessage makes plain data", () => {
  expect(addMessages).toBe(messagesStateReducer);
  const message = new RemoveMessage({ id: "1" });
  expect(Object.getPrototypeOf(message)).toBe(Object.prototype);
  expect(addMessages([human("1") as never], [message])).toEqual([]);
});

it("keeps messages of LangChain as they are, and gives them ids", () => {
  const [first, second] = [new HumanMessage("a"), new AIMessage({ content: "b", id: "2" })];
  const merged: readonly unknown[] = messagesStateReducer([first], [second]);
  expect(merged).toEqual([first, second]);
  expect(merged[0]).toBe(first);
  expect(first.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(messagesStateReducer(merged as Messages, [new TheirRemoval({ id: "2" })])).toEqual([first]);
});

it("a developer's message is a system message that says so", () => {
  const right = { role: "developer", content: "d", id: "1" } as const;
  const [expected] = theirs.messagesStateReducer([], right);
  expect(messagesStateReducer([], right)).toEqual([
    { type: expected?.getType(), id: "1", content: "d", additional_kwargs: expected?.additional_kwargs },
  ]);
});

it("a broken call of a tool is kept aside", () => {
  const calls = [{ id: "c", function: { name: "f", arguments: "{" } }];
  expect(messagesStateReducer([], { role: "assistant", content: "", tool_calls: calls })[0]).toMatchObject({
    tool_calls: [],
    invalid_tool_calls: [{ id: "c", name: "f", args: "{", type: "invalid_tool_call" }],
  });
});

/** Counts how often anybody looks at it. */
class Watched {
  static looks = 0;
  readonly content = "x";
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  get id(): string {
    Watched.looks++;
    return this.#id;
  }

  getType(): string {
    return "human";
  }
}

describe("in a state, the work follows what is new", () => {
  const long = Array.from({ length: 1000 }, (_, index) => new Watched(`m${index}`));
  const begin = (): Messages => messagesStateReducer(adopt(long) as Messages, []);
  const looksOf = (call: () => void): number => {
    Watched.looks = 0;
    call();
    return Watched.looks;
  };

  it("when messages are appended, one after another", () => {
    let list = begin();
    const looks = looksOf(() => {
      for (let n = 0; n < 10; n++) list = messagesStateReducer(list, [{ role: "user", content: `${n}` }]);
    });
    expect(list).toHaveLength(1010);
    expect(looks).toBe(0);
  });

  it("when a message is replaced", () => {
    const list = begin();
    let merged: Messages = [];
    const looks = looksOf(() => (merged = messagesStateReducer(list, [human("m5", "new")])));
    expect((merged as unknown[])[5]).toMatchObject({ content: "new" });
    expect(looks).toBeLessThan(5);
  });

  it("and lists that part from one another stay right", () => {
    const list = begin();
    const left = messagesStateReducer(list, [human("a", "left")]);
    const right = messagesStateReducer(list, [human("b"), human("a", "right")]);
    expect(left[1000]).toMatchObject({ id: "a", content: "left" });
    expect(right[1001]).toMatchObject({ id: "a", content: "right" });
    const again = messagesStateReducer(left, [human("a", "again")]);
    expect(again).toHaveLength(1001);
    expect(again[1000]).toMatchObject({ content: "again" });
    expect(messagesStateReducer(left, [human("b", "new") as never])[1001]).toMatchObject({ content: "new" });
  });

  it("and the list is read-only, as all state is", () => {
    expect(Object.isFrozen(messagesStateReducer(begin(), ["x"]))).toBe(true);
    expect(Object.isFrozen(messagesStateReducer([], ["x"]))).toBe(false);
  });
});

it("bytes in a message are handed out as copies, as in all state", () => {
  const picture = { type: "human", content: [{ type: "image", data: new Uint8Array([1]) }] } as const;
  const list: readonly unknown[] = messagesStateReducer(adopt([]), [picture]);
  const dataOf = (messages: unknown): unknown =>
    (messages as { content: { data: unknown }[] }[])[0]?.content[0]?.data;
  expect(dataOf(handOut(list))).toEqual(new Uint8Array([1]));
  expect(dataOf(handOut(list))).not.toBe(dataOf(list));
});
