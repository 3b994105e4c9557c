import * as v from "valibot";
import { exactly, JsonBody, whole } from "../requests/exactly.ts";
import { Config, Flag } from "../requests/schemas.ts";

/** The bodies and queries of the routes about assistants, as LangGraph's platform has them: null counts as absent. */

export { MAX_ASSISTANT } from "../../metadata-limits.ts";

const AssistantId = v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(256));

const said = {
  config: v.nullish(Config),
  context: v.nullish(JsonBody),
  metadata: v.nullish(JsonBody),
  name: v.nullish(v.pipe(v.string(), v.maxLength(256))),
  description: v.nullish(v.pipe(v.string(), v.maxLength(4096))),
};

export const CreateAssistantBody = exactly({
  graph_id: v.string(),
  assistant_id: v.nullish(AssistantId),
  if_exists: v.nullish(v.picklist(["raise", "do_nothing"]), "raise"),
  ...said,
});

export const PatchAssistantBody = exactly({ graph_id: v.nullish(v.string()), ...said });

const filter = {
  graph_id: v.nullish(v.string()),
  name: v.nullish(v.string()),
  metadata: v.nullish(JsonBody),
};

const Limit = v.nullish(whole(1, 1000), 10);
const Offset = v.nullish(whole(0), 0);

export const SearchAssistantsBody = exactly({
  ...filter,
  limit: Limit,
  offset: Offset,
  sort_by: v.nullish(
    v.picklist(["assistant_id", "graph_id", "name", "created_at", "updated_at"]),
    "created_at",
  ),
  sort_order: v.nullish(v.picklist(["asc", "desc"]), "desc"),
  select: v.nullish(v.array(v.string())),
});

export const CountAssistantsBody = exactly(filter);

export const VersionsBody = exactly({ limit: Limit, offset: Offset, metadata: v.nullish(JsonBody) });

export const LatestBody = exactly({ version: v.pipe(v.number(), v.safeInteger()) });

/** How deep: all of it, none of it, or so many levels. */
const Depth = v.union(
  [v.pipe(v.string(), v.regex(/^\d{1,3}$/), v.transform(Number)), Flag],
  'must be "true", "false" or a number',
);

export const GraphQuery = exactly({ xray: v.optional(Depth, "false") });
export const DeleteAssistantQuery = exactly({
  /** Those whose metadata name the assistant, too. */
  delete_threads: v.optional(Flag, "false"),
});
export const SubgraphsQuery = exactly({ recurse: v.optional(Flag, "false") });

export type CreateAssistant = v.InferOutput<typeof CreateAssistantBody>;
export type AssistantFilterBody = v.InferOutput<typeof CountAssistantsBody>;
export type PatchAssistant = v.InferOutput<typeof PatchAssistantBody>;
