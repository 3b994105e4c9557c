import { describe, expect, it } from "vitest";
import { BinaryOperatorAggregate, EMPTY, LastValue, Overwrite } from "tidemark/channels";

const join = (left: string, right: string) => `${left}${right}`;

describe("BinaryOperatorAggregate", () => {
  it("folds the writes onto the value in their order", () => {
    const channel = new BinaryOperatorAggregate(join, () => ">");
    channel.update(["a", "b"]);
    channel.update(["c"]);
    expect(channel.get()).toBe(">abc");
  });

  it("takes the first write as the value when there is no initial one", () => {
    const calls: unknown[] = [];
    const channel = new BinaryOperatorAggregate<string>((left, right) => {
      calls.push([left, right]);
      return left + right;
    });
    channel.update(["a", "b"]);
    expect(channel.get()).toBe("ab");
    expect(calls).toEqual([["a", "b"]]);
  });

  it("keeps an undefined that the reducer returned, and reduces onto it", () => {
    const lefts: unknown[] = [];
    const channel = new BinaryOperatorAggregate<unknown>(
      (left) => void lefts.push(left),
      () => "start",
    );
    channel.update(["a"]);
    expect(channel.isAvailable()).toBe(true);
    expect(channel.get()).toBeUndefined();
    channel.fromCheckpoint(channel.checkpoint()).update(["b"]);
    expect(lefts).toEqual(["start", undefined]);
  });

  it("lets the reducer's own error out and keeps the value", () => {
    const failure = new RangeError("no");
    const channel = new BinaryOperatorAggregate<string>(
      (left, right) => {
        if (right === "bad") throw failure;
        return left + right;
      },
      () => ">",
    );
    expect(() => channel.update(["a", "bad"])).toThrow(failure);
    expect(channel.get()).toBe(">");
  });

  it("adopts what it keeps, once for all writes: only its own results does the reducer see as it made them", () => {
    const frozen: boolean[] = [];
    const adopted: unknown[] = [];
    const adopt = <T>(value: T): T => (adopted.push(value), Object.freeze(value));
    const channel = new BinaryOperatorAggregate<object>((left, right) => {
      frozen.push(Object.isFrozen(left));
      return { left, right };
    }).fromCheckpoint();
    channel.update([{ first: 1 }, {}, {}], adopt);
    channel.update([{}], adopt);
    expect(frozen).toEqual([true, false, true]);
    expect(Object.isFrozen(channel.get())).toBe(true);
    expect(adopted).toHaveLength(3);
  });

  it("means the same channel as another with the same reducer", () => {
    const channel = new BinaryOperatorAggregate(join);
    expect(channel.equals(new BinaryOperatorAggregate(join, () => "other"))).toBe(true);
    expect(channel.equals(channel.fromCheckpoint("a"))).toBe(true);
    expect(channel.equals(new BinaryOperatorAggregate((left: string, right: string) => left + right))).toBe(
      false,
    );
    expect(channel.equals(new LastValue())).toBe(false);
  });
});

describe("Overwrite of a BinaryOperatorAggregate", () => {
  it.each([
    ["the class", new Overwrite("new")],
    ["its JSON form", { __overwrite__: "new" }],
    ["its typed form", { type: "__overwrite__", value: "new" } as const],
  ])("in the form of %s replaces the value, whatever else was written", (_, overwrite) => {
    for (const initial of [undefined, () => ">"]) {
      const calls: unknown[] = [];
      const spy = (left: string, right: string) => {
        calls.push(right);
        return left + right;
      };
      const channel = new BinaryOperatorAggregate(spy, initial);
      channel.update(["a", overwrite, "b"]);
      expect(channel.get()).toBe("new");
      expect(calls).toEqual([]);
      channel.update(["c"]);
      expect(channel.get()).toBe("newc");
    }
  });

  it("may set undefined", () => {
    const channel = new BinaryOperatorAggregate<string | undefined>(
      (left, right) => right ?? left,
      () => "a",
    );
    channel.update([new Overwrite(undefined)]);
    expect(channel.isAvailable()).toBe(true);
    expect(channel.checkpoint()).not.toBe(EMPTY);
    expect(channel.get()).toBeUndefined();
  });

  it.each([undefined, () => ">"])("is refused when there are two, with initial value %s", (initial) => {
    const channel = new BinaryOperatorAggregate(join, initial);
    expect(() => channel.update([new Overwrite("a"), { __overwrite__: "b" }])).toThrow(/overwrite/i);
    expect(channel.checkpoint()).toBe(initial?.() ?? EMPTY);
  });
});
