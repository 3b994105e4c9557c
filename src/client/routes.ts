import type * as v from "valibot";
import type { assistantOperations } from "../openapi/operations/assistants.ts";
import type { cronOperations } from "../openapi/operations/crons.ts";
import type { protocolOperations } from "../openapi/operations/protocol.ts";
import type { runOperations } from "../openapi/operations/runs.ts";
import type { serverOperations } from "../openapi/operations/server.ts";
import type { stateOperations } from "../openapi/operations/states.ts";
import type { storeOperations } from "../openapi/operations/store.ts";
import type { tenantOperations } from "../openapi/operations/tenants.ts";
import type { threadOperations } from "../openapi/operations/threads.ts";

/** What each route takes and answers, from the schemas that check it. */

interface Operations
  extends
    Readonly<typeof threadOperations>,
    Readonly<typeof runOperations>,
    Readonly<typeof stateOperations>,
    Readonly<typeof cronOperations>,
    Readonly<typeof assistantOperations>,
    Readonly<typeof storeOperations>,
    Readonly<typeof tenantOperations>,
    Readonly<typeof protocolOperations>,
    Readonly<typeof serverOperations> {}

/** As in "POST /threads/:thread_id/invoke". */
export type Route = keyof Operations;

/** What stands in the path, by the names of its parameters. */
export type PathOf<R extends string> = R extends `${string}:${infer Name}/${infer Rest}`
  ? Readonly<Record<Name, string>> & PathOf<Rest>
  : R extends `${string}:${infer Name}`
    ? Readonly<Record<Name, string>>
    : unknown;

export type BodyOf<R extends Route> = Operations[R] extends {
  readonly body: { readonly schema: infer Schema };
}
  ? Schema extends v.GenericSchema
    ? v.InferInput<Schema>
    : never
  : undefined;

/** Of JSON; null where nothing is answered. */
export type AnswerOf<R extends Route> = Operations[R] extends { readonly answers: infer Answers }
  ? AnswerIn<Answers[keyof Answers]>
  : never;

type AnswerIn<Answer> = Answer extends v.GenericSchema
  ? v.InferOutput<Answer>
  : Answer extends null
    ? null
    : never;
