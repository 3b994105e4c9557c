import * as v from "valibot";
import { MAX_METADATA } from "../metadata-limits.ts";
import { exactly, JsonBody, whole } from "./exactly.ts";
import { Count } from "./schemas.ts";

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
  "values",
  "interrupts",
]);

export const CreateThreadBody = exactly({
  thread_id: v.nullish(v.string()),
  metadata: v.nullish(Metadata, {}),
  if_exists: v.nullish(v.picklist(["raise", "do_nothing"]), "raise"),
});

export const PatchThreadBody = exactly({ metadata: v.nullish(Metadata, {}) });

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
});

export const CountThreadsBody = exactly(filter);

export const InterruptsQuery = exactly({ limit: v.optional(Count, "10"), after: v.optional(v.string()) });

export type SearchThreads = v.InferOutput<typeof SearchThreadsBody>;
export type ThreadFilterBody = v.InferOutput<typeof CountThreadsBody>;
