import {
  AnyValue,
  BinaryOperatorAggregate,
  DeltaChannel,
  DynamicBarrierValue,
  DynamicBarrierValueAfterFinish,
  EphemeralValue,
  LastValue,
  LastValueAfterFinish,
  NamedBarrierValue,
  NamedBarrierValueAfterFinish,
  Overwrite,
  Topic,
  UntrackedValueChannel,
} from "tidemark/channels";
import { type Step, testChannel } from "./contract.ts";

const a = { name: "a", tags: ["x"] };
const b = { name: "b", tags: [] };

/** One write in a superstep, none, and values that are easily taken for "nothing". */
const single: readonly Step[] = [
  { update: [] },
  { update: [a] },
  { update: [b] },
  { update: [] },
  { update: [undefined] },
  { update: [null] },
  "consume",
  { update: [[a, b]] },
  "finish",
  "consume",
];

testChannel({
  name: "LastValue",
  make: () => new LastValue(),
  steps: single,
  invalid: [a, b],
  transient: false,
});
testChannel({
  name: "LastValue with an initial value",
  make: () => new LastValue<unknown>(() => a),
  initial: { value: a },
  steps: single,
  invalid: [a, b],
  transient: false,
});
testChannel({
  name: "LastValueAfterFinish",
  make: () => new LastValueAfterFinish(),
  steps: [
    { update: [a, b] },
    "finish",
    "finish",
    { update: [] },
    { update: [undefined] },
    "finish",
    "consume",
    "finish",
    "consume",
    { update: [a] },
  ],
  transient: false,
});
testChannel({
  name: "AnyValue",
  make: () => new AnyValue(),
  steps: [...single, { update: [a, b] }],
  transient: true,
});
testChannel({
  name: "EphemeralValue",
  make: () => new EphemeralValue(),
  steps: single,
  invalid: [a, b],
  transient: true,
});
testChannel({
  name: "EphemeralValue without guard",
  make: () => new EphemeralValue(false),
  steps: [...single, { update: [a, b] }],
  transient: true,
});
testChannel({
  name: "UntrackedValueChannel",
  make: () => new UntrackedValueChannel(),
  steps: single,
  invalid: [a, b],
  transient: false,
  saved: false,
});
testChannel({
  name: "UntrackedValueChannel without guard, with an initial value",
  make: () => new UntrackedValueChannel<unknown>({ guard: false, initialValueFactory: () => b }),
  initial: { value: b },
  steps: [...single, { update: [a, b] }],
  transient: false,
  saved: false,
});

/** Items and lists of items, the same object again, and supersteps without any. */
const published: readonly Step[] = [
  { update: [] },
  { update: [a, [b, a]] },
  { update: [[]] },
  { update: [[a]] },
  { update: [b, [undefined, null]] },
  "consume",
  { update: [[[1], [2]]] },
  "finish",
  { update: [] },
];

for (const accumulate of [false, true]) {
  const more = accumulate ? " that accumulates" : "";
  testChannel({
    name: `Topic${more}`,
    make: () => new Topic({ accumulate }),
    savedWhenEmpty: [],
    steps: published,
    transient: !accumulate,
  });
  testChannel({
    name: `unique Topic${more}`,
    make: () => new Topic({ unique: true, accumulate }),
    savedWhenEmpty: [[], []],
    steps: published,
    transient: !accumulate,
  });
}

const pair = (left: unknown, right: unknown): unknown => [left, right];
const combined: readonly Step[] = [
  { update: [] },
  { update: [a] },
  { update: [b, a] },
  { update: [a, new Overwrite(b), a] },
  { update: [{ __overwrite__: a }] },
  "consume",
  { update: [{ type: "__overwrite__", value: undefined }] },
  "finish",
  { update: [undefined, null] },
];

testChannel({
  name: "BinaryOperatorAggregate",
  make: () => new BinaryOperatorAggregate(pair),
  steps: combined,
  invalid: [new Overwrite(a), b, { __overwrite__: a }],
  transient: false,
});
testChannel({
  name: "BinaryOperatorAggregate with an initial value",
  make: () => new BinaryOperatorAggregate(pair, () => [a]),
  initial: { value: [a] },
  steps: combined,
  invalid: [b, { type: "__overwrite__", value: a }, new Overwrite(b)],
  transient: false,
});
testChannel({
  name: "BinaryOperatorAggregate whose reducer returns undefined",
  make: () => new BinaryOperatorAggregate<unknown>(() => undefined),
  steps: combined,
  transient: false,
});

const arrivals: readonly Step[] = [
  { update: ["b"] },
  { update: [] },
  { update: ["b"] },
  "finish",
  "consume",
  { update: ["a", "b"] },
  { update: [] },
  "finish",
  { update: ["a"] },
  "finish",
  "consume",
  "finish",
  "consume",
  { update: ["a", "b"] },
  "finish",
];

testChannel({
  name: "NamedBarrierValue",
  make: () => new NamedBarrierValue(new Set(["a", "b"])),
  savedWhenEmpty: [],
  steps: arrivals,
  invalid: ["a", "c"],
  transient: false,
});
testChannel({
  name: "NamedBarrierValueAfterFinish",
  make: () => new NamedBarrierValueAfterFinish(new Set(["a", "b"])),
  savedWhenEmpty: [[], false],
  steps: arrivals,
  invalid: ["a", "c"],
  transient: false,
});

testChannel({
  name: "DeltaChannel",
  make: () => new DeltaChannel((value, writes) => [value, ...writes]),
  initial: { value: [] },
  steps: [
    { update: [] },
    { update: [a, b] },
    { update: [a, new Overwrite([b]), a] },
    { update: [{ __overwrite__: null }] },
    "consume",
    { update: [b] },
    "finish",
  ],
  invalid: [new Overwrite(a), new Overwrite(b)],
  transient: false,
});
testChannel({
  name: "DynamicBarrierValue",
  make: () => new DynamicBarrierValue(),
  savedWhenEmpty: [undefined, []],
  steps: [
    { update: ["a"] },
    { update: [{ __names: ["a", "b"] }] },
    { update: ["b"] },
    { update: ["a"] },
    "consume",
  ],
  invalid: [{ __names: ["a"] }, { __names: ["b"] }],
  transient: false,
});
testChannel({
  name: "DynamicBarrierValueAfterFinish",
  make: () => new DynamicBarrierValueAfterFinish(),
  savedWhenEmpty: [undefined, [], false],
  steps: [
    { update: [{ __names: ["a", "b"] }] },
    "finish",
    { update: ["b", "a"] },
    "consume",
    "finish",
    "finish",
    "consume",
    { update: ["a"] },
  ],
  invalid: [{ __names: ["a"] }, { __names: ["b"] }],
  transient: false,
});
