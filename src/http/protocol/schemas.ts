import * as v from "valibot";
import { whole } from "../requests/exactly.ts";
import { AnyObject, CheckpointId, exactly } from "../requests/schemas.ts";

/** The commands and filters of LangGraph's protocol of threads. Clients send null for what they leave out. */

export const Count = whole(0);

const Namespace = v.pipe(v.array(v.string()), v.maxLength(100));

const Channel = v.pipe(
  v.string(),
  v.regex(
    /^(?:values|updates|messages|tools|lifecycle|input|checkpoints|tasks|custom(?::.+)?)$/,
    "must be a channel: values, updates, messages, tools, lifecycle, input, checkpoints, tasks, custom or custom:<name>",
  ),
);

const filter = {
  channels: v.pipe(v.array(Channel), v.minLength(1), v.maxLength(100)),
  /** Only what happens in one of these, or inside. */
  namespaces: v.nullish(v.pipe(v.array(Namespace), v.maxLength(1000))),
  /** How far inside. */
  depth: v.nullish(Count),
};

export const EventStreamBody = exactly({
  ...filter,
  /** Only what comes after the event with this number. */
  since: v.nullish(Count),
});

export const CommandBody = v.pipe(
  AnyObject,
  v.looseObject({ id: Count, method: v.string(), params: v.optional(AnyObject, {}) }),
);

export type CommandBody = v.InferOutput<typeof CommandBody>;

const Strategy = v.nullish(v.picklist(["reject", "enqueue", "interrupt", "rollback"]));

export const RunStartParams = exactly({
  assistant_id: v.string(),
  input: v.optional(v.unknown()),
  config: v.nullish(AnyObject),
  context: v.nullish(v.unknown()),
  metadata: v.nullish(AnyObject),
  multitask_strategy: Strategy,
  multitaskStrategy: Strategy,
  /** LangSmith's. */
  langsmith_tracer: v.nullish(v.unknown()),
});

const answer = {
  /** Where the question was asked: its id says enough. */
  namespace: v.nullish(Namespace),
  interrupt_id: v.string(),
  response: v.optional(v.unknown(), null),
};

const alongside = {
  update: v.nullish(AnyObject),
  goto: v.nullish(v.unknown()),
  config: v.nullish(AnyObject),
  metadata: v.nullish(AnyObject),
  /** An answer to a question that is not open is always refused. */
  strict_resume: v.nullish(v.boolean()),
};

const OneAnswer = exactly({ ...answer, ...alongside });
const SeveralAnswers = exactly({
  responses: v.pipe(
    v.array(exactly(answer)),
    v.minLength(1),
    v.check(
      (answers) => new Set(answers.map(({ interrupt_id: id }) => id)).size === answers.length,
      "must not answer a question twice",
    ),
  ),
  ...alongside,
});

export const InputRespondParams = v.union(
  [OneAnswer, SeveralAnswers],
  'must have "interrupt_id" and "response", or "responses": a list of both',
);

export const StateGetParams = exactly({
  namespace: v.nullish(Namespace),
  keys: v.nullish(v.array(v.string())),
});

export const ListCheckpointsParams = exactly({
  namespace: v.nullish(Namespace),
  limit: v.optional(whole(1, 1000), 10),
  before: v.nullish(CheckpointId),
});

export const StateForkParams = exactly({
  checkpoint_id: CheckpointId,
  input: v.optional(v.unknown()),
  config: v.nullish(AnyObject),
});

export const GetTreeParams = exactly({ run_id: v.nullish(v.string()) });

export const ReconnectParams = exactly({
  run_id: v.nullish(v.string()),
  last_event_id: v.nullish(v.string()),
  subscriptions: v.nullish(v.array(v.string())),
});

export const UnsubscribeParams = exactly({ subscription_id: v.string() });
