import { Overwrite as TheirOverwrite } from "@langchain/langgraph";
import * as theirs from "@langchain/langgraph/channels";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as ours from "tidemark/channels";

/** The same calls on a channel of ours and on LangGraph's must show the same. */

type Theirs = theirs.BaseChannel;

/** A write that overwrites, made into the class of either side; anything else is written as it is. */
class OverwriteWith {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

type Step = { readonly update: readonly unknown[] } | "consume" | "finish" | "reload";

interface Kind {
  readonly ours: () => ours.BaseChannel;
  readonly theirs: () => Theirs;
  readonly write: fc.Arbitrary<unknown>;
}

/** Shared objects: a unique topic tells them apart by identity. */
const objects = [{ id: 1 }, { id: 2, tags: ["x"] }];
const item = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, 0, 1, 2, "", "a", true, NaN, ...objects),
  fc.integer(),
  fc.string({ maxLength: 3 }),
);
const value = fc.oneof(item, fc.array(item, { maxLength: 3 }));
const defined = value.map((given) => given ?? 0);
const overwrite = fc.oneof(
  defined.map((given) => new OverwriteWith(given)),
  defined.map((given) => ({ __overwrite__: given })),
  defined.map((given) => ({ type: "__overwrite__", value: given })),
);
const published = fc.oneof(item, fc.array(item, { maxLength: 3 }));
const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("a", "b", "c") },
  { weight: 1, arbitrary: fc.constant("d") },
);

const pair = (left: unknown, right: unknown): unknown => [left, right];
const otherPair = (left: unknown, right: unknown): unknown => [left, right];
const dropping = (left: unknown, right: unknown) => (right === "drop" ? undefined : [left, right]);
const failing = (): unknown => {
  throw new RangeError("reduced");
};
const positiveSum = (left: number, right: number): number => {
  if (right < 0) throw new RangeError("negative");
  return left + right;
};
const names = new Set(["a", "b", "c"]);

const kinds: Record<string, Kind> = {
  LastValue: { ours: () => new ours.LastValue(), theirs: () => new theirs.LastValue(), write: value },
  "LastValue with an initial value": {
    ours: () => new ours.LastValue<unknown>(() => "start"),
    theirs: () => new theirs.LastValue<unknown>(() => "start"),
    write: value,
  },
  LastValueAfterFinish: {
    ours: () => new ours.LastValueAfterFinish(),
    theirs: () => new theirs.LastValueAfterFinish(),
    write: value,
  },
  AnyValue: { ours: () => new ours.AnyValue(), theirs: () => new theirs.AnyValue(), write: value },
  EphemeralValue: {
    ours: () => new ours.EphemeralValue(),
    theirs: () => new theirs.EphemeralValue(),
    write: value,
  },
  "EphemeralValue without guard": {
    ours: () => new ours.EphemeralValue(false),
    theirs: () => new theirs.EphemeralValue(false),
    write: value,
  },
  UntrackedValueChannel: {
    ours: () => new ours.UntrackedValueChannel(),
    theirs: () => new theirs.UntrackedValueChannel(),
    write: value,
  },
  "UntrackedValueChannel without guard, with an initial value": {
    ours: () => new ours.UntrackedValueChannel<unknown>({ guard: false, initialValueFactory: () => 1 }),
    theirs: () => new theirs.UntrackedValueChannel<unknown>({ guard: false, initialValueFactory: () => 1 }),
    write: value,
  },
  BinaryOperatorAggregate: {
    ours: () => new ours.BinaryOperatorAggregate(pair),
    theirs: () => new theirs.BinaryOperatorAggregate(pair),
    write: defined,
  },
  "BinaryOperatorAggregate with an initial value": {
    ours: () => new ours.BinaryOperatorAggregate(pair, () => "start"),
    theirs: () => new theirs.BinaryOperatorAggregate(pair, () => "start"),
    write: fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: overwrite }),
  },
  DynamicBarrierValue: {
    ours: () => new ours.DynamicBarrierValue(),
    theirs: () => new theirs.DynamicBarrierValue(),
    write: fc.oneof(
      { weight: 4, arbitrary: name },
      { weight: 1, arbitrary: fc.record({ __names: fc.uniqueArray(name, { maxLength: 3 }) }) },
    ),
  },
  NamedBarrierValue: {
    ours: () => new ours.NamedBarrierValue(names),
    theirs: () => new theirs.NamedBarrierValue(names),
    write: name,
  },
  NamedBarrierValueAfterFinish: {
    ours: () => new ours.NamedBarrierValueAfterFinish(names),
    theirs: () => new theirs.NamedBarrierValueAfterFinish(names),
    write: name,
  },
};
for (const options of [{}, { unique: true }, { accumulate: true }, { unique: true, accumulate: true }]) {
  kinds[`Topic(${JSON.stringify(options)})`] = {
    ours: () => new ours.Topic(options),
    theirs: () => new theirs.Topic(options),
    write: published,
  };
}

describe.each(Object.entries(kinds))("%s", (_, kind) => {
  const update = fc.array(kind.write, { maxLength: 3 }).map((writes): Step => ({ update: writes }));
  const step = fc.oneof(
    { weight: 5, arbitrary: update },
    { weight: 4, arbitrary: fc.constantFrom<Step>("consume", "finish", "reload") },
  );

  it("has LangGraph's name and starts the same", () => {
    const start = kind.theirs();
    expect(kind.ours().lc_graph_name).toBe(start.lc_graph_name);
    expect(showOurs(kind.ours())).toEqual(showTheirs(start));
  });

  it("behaves as LangGraph's", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => compare(kind, steps)),
      { numRuns: 500 },
    );
  });
});

function compare(kind: Kind, steps: readonly Step[]): void {
  let our = kind.ours().fromCheckpoint();
  let their = kind.theirs().fromCheckpoint();
  for (const step of steps) {
    if (step === "reload") {
      // LangGraph takes a saved `undefined` for an empty channel: see "differs on purpose" below.
      const saved = savedByTheirs(their);
      if (saved === undefined && their.isAvailable() && our.checkpoint() !== ours.EMPTY) continue;
      if (isWaitingForNobody(their, saved)) continue;
      our = our.fromCheckpoint(our.checkpoint());
      their = their.fromCheckpoint(saved === ours.EMPTY ? undefined : saved);
    } else {
      const result = outcome(() => runOurs(our, step));
      expect(result).toEqual(outcome(() => runTheirs(their, step)));
      // A refused superstep is over. LangGraph may have applied a part of it.
      if (typeof result !== "boolean") return;
    }
    expect(showOurs(our)).toEqual(showTheirs(their));
  }
}

/** LangGraph takes a dynamic barrier that nobody has told what to wait for, once it is loaded again, for complete. */
function isWaitingForNobody(their: Theirs, saved: unknown): boolean {
  return their instanceof theirs.DynamicBarrierValue && Array.isArray(saved) && saved[0] === undefined;
}

function runOurs(channel: ours.BaseChannel, step: Exclude<Step, "reload">): boolean {
  if (typeof step === "string") return channel[step]();
  return channel.update(
    step.update.map((w) => (w instanceof OverwriteWith ? new ours.Overwrite(w.value) : w)),
  );
}

function runTheirs(channel: Theirs, step: Exclude<Step, "reload">): boolean {
  if (typeof step === "string") return channel[step]();
  return channel.update(
    step.update.map((w) => (w instanceof OverwriteWith ? new TheirOverwrite(w.value) : w)),
  );
}

function showOurs(channel: ours.BaseChannel) {
  return {
    available: channel.isAvailable(),
    value: outcome(() => channel.get()),
    saved: channel.checkpoint(),
  };
}

function showTheirs(channel: Theirs) {
  const saved = savedByTheirs(channel);
  const unsaved =
    channel.lc_graph_name === "UntrackedValue" || channel.lc_graph_name === "LastValueAfterFinish";
  return {
    available: channel.isAvailable(),
    value: outcome(() => channel.get()),
    saved: unsaved && saved === undefined ? ours.EMPTY : saved,
  };
}

function savedByTheirs(channel: Theirs): unknown {
  try {
    return channel.checkpoint();
  } catch {
    return ours.EMPTY;
  }
}

/** What a call returned, or the name and code of what it threw. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { threw: error.name, code: "lc_error_code" in error ? error.lc_error_code : undefined };
  }
}

const empty = { threw: "EmptyChannelError", code: undefined };

describe("equals", () => {
  const differentKinds = Object.keys(kinds).filter((key) => !key.startsWith("BinaryOperator"));

  it.each(differentKinds)("%s: another of the same definition is another channel, as in LangGraph", (key) => {
    const kind = kinds[key];
    if (kind === undefined) throw new Error(key);
    expect(kind.ours().equals(kind.ours())).toBe(kind.theirs().equals(kind.theirs()));
  });

  it("BinaryOperatorAggregate: the reducer decides, as in LangGraph", () => {
    const our = new ours.BinaryOperatorAggregate(pair);
    const their = new theirs.BinaryOperatorAggregate(pair);
    expect([
      our.equals(new ours.BinaryOperatorAggregate(pair, () => 1)),
      our.equals(new ours.BinaryOperatorAggregate(otherPair)),
      our.equals(new ours.LastValue()),
    ]).toEqual([
      their.equals(new theirs.BinaryOperatorAggregate(pair, () => 1)),
      their.equals(new theirs.BinaryOperatorAggregate(otherPair)),
      their.equals(new theirs.LastValue()),
    ]);
  });
});

describe("differs on purpose", () => {
  it("a saved undefined is a value, not an empty channel", () => {
    const makers = [
      [new ours.LastValue<unknown>(() => "start"), new theirs.LastValue<unknown>(() => "start"), "start"],
      [new ours.AnyValue(), new theirs.AnyValue(), empty],
      [new ours.EphemeralValue(), new theirs.EphemeralValue(), empty],
      [
        new ours.BinaryOperatorAggregate(pair, () => "start"),
        new theirs.BinaryOperatorAggregate(pair, () => "start"),
        "start",
      ],
    ] as const;
    for (const [our, their, lost] of makers) {
      expect(outcome(() => our.fromCheckpoint(undefined).get())).toBeUndefined();
      expect(outcome(() => their.fromCheckpoint(undefined).get())).toEqual(lost);
    }
  });

  it("an undefined that a reducer returned is the value, and is reduced on", () => {
    const our = new ours.BinaryOperatorAggregate(dropping, () => "start");
    const their = new theirs.BinaryOperatorAggregate(dropping, () => "start");
    for (const channel of [our, their]) channel.update(["drop"]);
    expect(outcome(() => our.get())).toBeUndefined();
    expect(outcome(() => their.get())).toEqual(empty);
    for (const channel of [our, their]) channel.update(["next"]);
    expect(our.get()).toEqual([undefined, "next"]);
    expect(their.get()).toBe("next");
    for (const channel of [our, their]) channel.update(["drop", "not lost"]);
    expect(our.get()).toEqual([undefined, "not lost"]);
    expect(outcome(() => their.get())).toEqual(empty);
  });

  it("an Overwrite may set undefined", () => {
    const our = new ours.BinaryOperatorAggregate(pair, () => "start");
    const their = new theirs.BinaryOperatorAggregate(pair, () => "start");
    our.update([new ours.Overwrite(undefined)]);
    their.update([new TheirOverwrite(undefined)]);
    expect(outcome(() => our.get())).toBeUndefined();
    expect(outcome(() => their.get())).toEqual(empty);
  });

  it("an Overwrite counts on an empty channel too: alone, and once", () => {
    const our = new ours.BinaryOperatorAggregate(pair);
    const their = new theirs.BinaryOperatorAggregate(pair);
    our.update([new ours.Overwrite("new"), "next"]);
    their.update([new TheirOverwrite("new"), "next"]);
    expect(our.get()).toBe("new");
    expect(their.get()).toEqual(["new", "next"]);

    const two = [{ __overwrite__: 1 }, { __overwrite__: 2 }];
    expect(outcome(() => our.fromCheckpoint().update(two))).toMatchObject({ threw: "InvalidUpdateError" });
    expect(outcome(() => their.fromCheckpoint().update(two))).toBe(true);
  });

  it("the reducer does not run for writes that an Overwrite discards", () => {
    const writes = ["discarded", { __overwrite__: "new" }];
    const our = new ours.BinaryOperatorAggregate(failing, () => "start");
    const their = new theirs.BinaryOperatorAggregate(failing, () => "start");
    expect(outcome(() => our.update(writes))).toBe(true);
    expect(outcome(() => their.update(writes))).toMatchObject({ threw: "RangeError" });
  });

  it("what fails changes nothing", () => {
    const our = new ours.NamedBarrierValue(names);
    const their = new theirs.NamedBarrierValue(names);
    for (const channel of [our, their]) {
      expect(outcome(() => channel.update(["a", "d"]))).toMatchObject({ threw: "InvalidUpdateError" });
    }
    expect(our.checkpoint()).toEqual([]);
    expect(their.checkpoint()).toEqual(["a"]);

    const ourSum = new ours.BinaryOperatorAggregate(positiveSum, () => 0);
    const theirSum = new theirs.BinaryOperatorAggregate(positiveSum, () => 0);
    for (const sum of [ourSum, theirSum]) {
      expect(outcome(() => sum.update([1, -1]))).toMatchObject({ threw: "RangeError" });
    }
    expect(ourSum.get()).toBe(0);
    expect(theirSum.get()).toBe(1);
  });

  it("a topic of two lists is read as it was saved", () => {
    const saved = [[1], [2]];
    expect(new ours.Topic<number[]>().fromCheckpoint(saved).get()).toEqual([[1], [2]]);
    expect(new theirs.Topic<number[]>().fromCheckpoint(saved).get()).toEqual([2]);
  });

  it("a barrier is not held up by saved names that it no longer waits for", () => {
    const our = new ours.NamedBarrierValue(new Set(["a"])).fromCheckpoint(["a", "gone"]);
    const their = new theirs.NamedBarrierValue(new Set(["a"])).fromCheckpoint(["a", "gone"]);
    expect(our.isAvailable()).toBe(true);
    expect(their.isAvailable()).toBe(false);
  });
});
