import * as v from "valibot";
import { MAX_METADATA } from "../../metadata-limits.ts";
import type { CreateThread, RequestedStep } from "../../thread/protocol.ts";
import { Command, requestedCommand } from "../runs/run-create.ts";
import { AnyObject, exactly, JsonBody, shownAs, whole } from "../requests/exactly.ts";
import { Count } from "../requests/schemas.ts";

/** The bodies and queries that are about threads as such, as LangGraph's platform has them: null counts as absent. */

const Metadata = v.pipe(
  JsonBody,
  v.check(
    (metadata) => JSON.stringify(metadata).length <= MAX_METADATA,
    `must not have more than ${MAX_METADATA} characters`,
  ),
);

const Status = v.picklist(["idle", "busy", "interrupted", "error"]);
const SortBy = v.picklist(["thread_id", "status", "created_at", "updated_at", "state_updated_at"]);
const Selected = v.picklist([
  "thread_id",
  "created_at",
  "updated_at",
  "state_updated_at",
  "metadata",
  "status",
  "config",
  "context",
  "values",
  "interrupts",
]);

const PartPath = v.pipe(
  v.string(),
  v.maxLength(256),
  v.regex(
    /^(?:values|metadata|config|interrupts)(?:\.[^.[\]]+|\[-?\d{1,9}\])*$/,
    'must be the path to a part of a thread, as in "values.messages[-1]"',
  ),
);

const MAX_PARTS = 10;

/** Paths, by the names under which their parts are shown. */
const PartPaths = shownAs(
  v.record(v.string(), PartPath),
  v.pipe(
    AnyObject,
    v.record(v.string(), PartPath),
    v.check((paths) => Object.keys(paths).length <= MAX_PARTS, `must have ${MAX_PARTS} paths at most`),
  ),
);

/** In minutes. */
const TEN_YEARS = 10 * 365 * 24 * 60;
const Minutes = v.pipe(v.number(), v.finite(), v.minValue(0.001), v.maxValue(TEN_YEARS));

/** How long after its last use the thread is deleted. In milliseconds. */
const Ttl = v.nullish(
  v.pipe(
    v.union(
      [Minutes, exactly({ ttl: Minutes, strategy: v.nullish(v.literal("delete")) })],
      'must be minutes, or {"ttl": minutes, "strategy": "delete"}',
    ),
    v.transform((ttl) => Math.ceil((typeof ttl === "number" ? ttl : ttl.ttl) * 60_000)),
  ),
);

const Update = exactly({
  values: v.optional(v.unknown()),
  command: v.nullish(Command),
  as_node: v.nullish(v.string()),
});

const Superstep = exactly({
  updates: v.pipe(v.array(Update), v.minLength(1, "must have one update at least")),
});

/** What nodes are said to have returned, step by step. */
const Supersteps = v.nullish(
  v.pipe(
    v.array(Superstep),
    v.minLength(1, "must have one step at least"),
    v.maxLength(1000, "must have 1000 steps at most"),
  ),
);

export const CreateThreadBody = exactly({
  thread_id: v.nullish(v.string()),
  metadata: v.nullish(Metadata, {}),
  if_exists: v.nullish(v.picklist(["raise", "do_nothing"]), "raise"),
  ttl: Ttl,
  supersteps: Supersteps,
});

export const PatchThreadBody = exactly({ metadata: v.nullish(Metadata, {}), ttl: Ttl });

export const PatchStateBody = exactly({ metadata: v.nullish(Metadata, {}) });

/** What else is wanted of a thread: it is there in any case. */
export const ThreadQuery = exactly({ include: v.optional(v.union([v.string(), v.array(v.string())])) });

const filter = {
  metadata: v.nullish(Metadata, {}),
  values: v.nullish(Metadata, {}),
  status: v.nullish(Status),
};

/** What can be skipped: an object of the directory goes through it for every page. */
const MAX_OFFSET = 10_000;

export const SearchThreadsBody = exactly({
  ...filter,
  ids: v.nullish(v.pipe(v.array(v.string()), v.maxLength(1000))),
  limit: v.nullish(whole(1, 1000), 10),
  offset: v.nullish(whole(0, MAX_OFFSET), 0),
  sort_by: v.nullish(SortBy, "created_at"),
  sort_order: v.nullish(v.picklist(["asc", "desc"]), "desc"),
  select: v.nullish(v.array(Selected)),
  extract: v.nullish(PartPaths),
});

export const CountThreadsBody = exactly(filter);

export const InterruptsQuery = exactly({ limit: v.optional(Count, "10"), after: v.optional(v.string()) });

export type SearchThreads = v.InferOutput<typeof SearchThreadsBody>;
export type ThreadFilterBody = v.InferOutput<typeof CountThreadsBody>;

/** What a new thread is made with. */
export function threadOptions({
  metadata,
  ttl,
  supersteps,
}: v.InferOutput<typeof CreateThreadBody>): Pick<CreateThread, "metadata" | "ttl" | "supersteps"> {
  return {
    metadata,
    ...(ttl != null && { ttl }),
    ...(supersteps != null && { supersteps: supersteps.map(requestedStep) }),
  };
}

function requestedStep({ updates }: v.InferOutput<typeof Superstep>): RequestedStep {
  return {
    updates: updates.map(({ values, command, as_node: asNode }) => ({
      ...(command == null ? { values } : { command: requestedCommand(command) }),
      ...(asNode != null && { asNode }),
    })),
  };
}
