import * as v from "valibot";
import { whole } from "../requests/exactly.ts";
import { AnyObject, CheckpointId, Count, exactly, Flag } from "../requests/schemas.ts";

/** The bodies and queries of the routes that read and edit states. */

/** Parts of a state; `values.<key>` is one of its values. */
const Selected = v.pipe(
  v.string(),
  v.regex(
    /^(values|next|tasks|checkpoint|metadata|created_at|parent_checkpoint|interrupts|values\..+)$/,
    "must be a part of a state",
  ),
);
const Select = v.nullish(v.array(Selected));

/** Where a state is: the newest of the thread unless said otherwise. `checkpoint_ns` names a graph inside a node. */
const Checkpoint = exactly({
  thread_id: v.nullish(v.string()),
  checkpoint_id: v.nullish(CheckpointId),
  checkpoint_ns: v.nullish(v.string(), ""),
  checkpoint_map: v.nullish(AnyObject),
});

export type CheckpointBody = v.InferOutput<typeof Checkpoint>;

export const UpdateStateBody = exactly({
  values: v.unknown(),
  as_node: v.nullish(v.string()),
  checkpoint_id: v.nullish(CheckpointId),
  checkpoint: v.nullish(Checkpoint),
});

export const CheckpointStateBody = exactly({
  checkpoint: Checkpoint,
  subgraphs: v.nullish(v.boolean(), false),
  select: Select,
});

/** Of a query, where it may be repeated. */
const SelectQuery = v.optional(
  v.pipe(
    v.union([v.string(), v.array(v.string())]),
    v.transform((select) => [select].flat()),
    v.array(Selected),
  ),
);

export const StateQuery = exactly({ subgraphs: v.optional(Flag, "false"), select: SelectQuery });

export const HistoryQuery = exactly({
  limit: v.optional(Count, "10"),
  before: v.optional(CheckpointId),
});

/** A checkpoint, by its id, as it stands in a state, or as LangGraph's clients configure one. */
const Before = v.union([
  CheckpointId,
  v.pipe(
    v.object({ checkpoint_id: CheckpointId }),
    v.transform(({ checkpoint_id: id }) => id),
  ),
  v.pipe(
    v.object({ configurable: v.object({ checkpoint_id: CheckpointId }) }),
    v.transform(({ configurable }) => configurable.checkpoint_id),
  ),
]);

export const HistoryBody = exactly({
  limit: v.nullish(whole(1, 1000), 10),
  before: v.nullish(Before),
  metadata: v.nullish(AnyObject),
  checkpoint: v.nullish(Checkpoint),
  select: Select,
});
