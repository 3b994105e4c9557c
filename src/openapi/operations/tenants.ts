import { Erased, Rebuilt } from "../../http/answers/tenant.ts";
import { EraseTenantQuery, RebuildDirectoryBody } from "../../http/tenants/tenant-schemas.ts";
import type { Operations } from "../operation.ts";
import { OF_DIRECTORY } from "./faults.ts";

export const tenantOperations = {
  "DELETE /tenant": {
    id: "eraseTenant",
    summary: "Remove all that the caller's tenant has",
    description:
      "Some threads in each call, with their large values, and at last assistants, crons and the store: ask until the answer says that it is erased.",
    query: EraseTenantQuery,
    answers: { 200: Erased },
    errors: OF_DIRECTORY,
  },
  "POST /directory/rebuild": {
    id: "rebuildDirectory",
    summary: "Have threads tell the directory what they are, by the ids of their objects",
    body: { schema: RebuildDirectoryBody, example: { objects: [] } },
    headers: ["Idempotency-Key"],
    answers: { 200: Rebuilt },
    errors: ["idempotency_key_in_use"],
  },
} as const satisfies Operations;
