import * as v from "valibot";
import { exactly } from "../requests/exactly.ts";
import { Count } from "../requests/schemas.ts";

/** `limit`: so many threads are deleted by the call. */
export const EraseTenantQuery = exactly({ limit: v.optional(Count, "100") });

const ObjectId = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "must be the id of an object"));

export const RebuildDirectoryBody = exactly({
  objects: v.pipe(v.array(ObjectId), v.maxLength(1000, "must have 1000 ids at most")),
});
