import { expect, it } from "vitest";
import { BinaryOperatorAggregate, DeltaChannel, Overwrite } from "tidemark/channels";
import { DeltaSnapshot } from "tidemark/checkpoint";

const batches: unknown[][] = [];
const reducer = (value: unknown[], writes: unknown[]): unknown[] => {
  batches.push(writes);
  return [...value, ...writes];
};

it("gives its reducer all writes of a superstep at once", () => {
  const channel = new DeltaChannel(reducer);
  channel.update(["a", "b"]);
  expect(channel.get()).toEqual(["a", "b"]);
  expect(batches).toEqual([["a", "b"]]);
});

it("an Overwrite goes before the others, null in it means the initial value, a second one is refused", () => {
  const channel = new DeltaChannel(reducer, { initialValueFactory: () => ["start"] });
  channel.update(["a", new Overwrite(["new"]), "b"]);
  expect(channel.get()).toEqual(["new"]);
  channel.update([{ __overwrite__: null as never }]);
  expect(channel.get()).toEqual(["start"]);
  expect(() => channel.update([new Overwrite([]), new Overwrite([])])).toThrow("only one Overwrite");
});

it("it and a reducer's channel read the snapshots that LangGraph saves", () => {
  const snapshot = new DeltaSnapshot([1]) as never;
  expect(new DeltaChannel(reducer).fromCheckpoint(snapshot).get()).toEqual([1]);
  expect(new BinaryOperatorAggregate((left: unknown) => left).fromCheckpoint(snapshot).get()).toEqual([1]);
});

it("replays what LangGraph keeps in place of a value, from the last Overwrite on", () => {
  const channel = new DeltaChannel(reducer);
  channel.replay(["a", new Overwrite(["x"]), "b", { __overwrite__: ["y"] }, "c", "d"]);
  expect(channel.get()).toEqual(["y", "c", "d"]);
});

it("refuses a snapshotFrequency that is none", () => {
  for (const snapshotFrequency of [0, -1, 1.5]) {
    expect(() => new DeltaChannel(reducer, { snapshotFrequency })).toThrow("at least 1");
  }
});
