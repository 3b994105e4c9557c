import * as v from "valibot";
import { STREAM_MODES } from "../../stream-modes.ts";
import { AnyObject, exactly, whole } from "./exactly.ts";
import { runOptions } from "../runs/run-options.ts";

export { AnyObject, exactly };

/** The bodies and queries of the routes. Types come from them. */

export const StreamMode = v.picklist(STREAM_MODES);

export const StreamModes = v.union([StreamMode, v.pipe(v.array(StreamMode), v.minLength(1))]);

/** Empty is not the same as absent: it names no checkpoint. */
export const CheckpointId = v.pipe(
  v.string(),
  v.minLength(1, "must not be empty"),
  v.check((id) => id.isWellFormed(), "must not have half of a surrogate pair"),
);

export const Config = exactly({
  recursion_limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000))),
  configurable: v.optional(AnyObject),
  tags: v.optional(v.array(v.string())),
  metadata: v.optional(AnyObject),
});

const run = {
  config: v.optional(Config, {}),
  /** Handed to nodes, and forgotten when the run ends. */
  context: v.optional(v.unknown()),
  checkpoint_id: v.optional(CheckpointId),
  ...runOptions,
};

const start = {
  ...run,
  graph: v.optional(v.string()),
  /** Absent or null: continue. */
  input: v.optional(v.unknown()),
  on_interrupted: v.optional(v.picklist(["refuse", "discard"]), "refuse"),
};

export const InvokeBody = exactly(start);

export const StreamBody = exactly({
  ...start,
  stream_mode: v.optional(StreamModes, "values"),
  /** Also the chunks of graphs inside nodes. */
  stream_subgraphs: v.optional(v.boolean(), false),
});

/** These the thread itself has for what nobody answers. */
const OWN_ANSWERS = new Set(["timer", "event", "expiry"]);

export const AnsweredBy = v.pipe(
  v.string(),
  v.minLength(1, "must not be empty"),
  v.maxLength(256),
  v.check((name) => !OWN_ANSWERS.has(name), "is what the thread itself answers as"),
);

const answer = {
  ...run,
  /** For the record. */
  answered_by: v.optional(AnsweredBy),
};

const OneAnswer = exactly({ ...answer, interrupt_id: v.string(), value: v.unknown() });
const Answers = v.pipe(
  AnyObject,
  v.check((answers) => Object.keys(answers).length > 0, "must have one answer at least"),
);
const SeveralAnswers = exactly({ ...answer, values: Answers });

export const ResumeBody = v.union(
  [OneAnswer, SeveralAnswers],
  'must have "interrupt_id" and "value", or "values": an object of answers by interrupt id, one at least',
);

/** Whatever JSON there is. */
export const AnyBody = v.unknown();

const kept = {
  strategy: v.optional(v.literal("keep_latest"), "keep_latest"),
  keep_last: v.optional(whole(1), 1),
  /** ISO 8601, or milliseconds since 1970. */
  older_than: v.optional(
    v.union([
      v.pipe(v.number(), v.finite()),
      v.pipe(
        v.string(),
        v.transform((text) => Date.parse(text)),
        v.number("must be a time"),
      ),
    ]),
  ),
};

const STRATEGIES =
  'must have a "strategy": "delete", or "keep_latest" (the default) with "keep_last" and "older_than"';

export const PruneBody = v.union([exactly({ strategy: v.literal("delete") }), exactly(kept)], STRATEGIES);

const thread_ids = v.pipe(v.array(v.string()), v.maxLength(100, "must have 100 ids at most"));

export const PruneThreadsBody = v.union(
  [exactly({ thread_ids, strategy: v.literal("delete") }), exactly({ thread_ids, ...kept })],
  `must have "thread_ids", and ${STRATEGIES.slice("must have ".length)}`,
);

/** The id of the new thread; minted when it is absent. */
export const CopyBody = exactly({ thread_id: v.optional(v.string()) });

export const Count = v.pipe(
  v.string(),
  v.regex(/^\d{1,4}$/, "must be a whole number"),
  v.transform(Number),
  v.minValue(1),
  v.maxValue(1000),
);

/** Of a query, where 1 and 0 are usual too. */
export const Flag = v.pipe(
  v.picklist(["true", "false", "1", "0"], 'must be "true" or "false"'),
  v.transform((flag) => flag === "true" || flag === "1"),
);

export const NoQuery = exactly({});

export type RunConfigBody = v.InferOutput<typeof Config>;
export type InvokeRequest = v.InferOutput<typeof InvokeBody>;
export type StreamRequest = v.InferOutput<typeof StreamBody>;
export type ResumeRequest = v.InferOutput<typeof ResumeBody>;
export type PruneRequest = v.InferOutput<typeof PruneBody>;
