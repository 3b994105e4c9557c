import type { Context } from "hono";
import { GRAPH_CRONS } from "../graph-crons.ts";
import { uuid7 } from "../uuid7.ts";
import type { AppOptions } from "./app-options.ts";
import { sentBody } from "./requests/body.ts";
import { idempotencyKey, idempotencyOf } from "./requests/request-conditions.ts";
import { call, refusal, tenantObject } from "./thread-call.ts";

/**
 * Makes a call once under its `Idempotency-Key`, where nothing that comes of it could keep the key. Routes ask for it when the
 * caller was authorized and the body is read, so that whoever may not make the call gets nothing of an earlier one.
 *
 * `again` answers a call that has come before: as things are now, to whom they are for. It is told what `keep` says of the first
 * answer: its status, unless given. What is kept must be short, and nothing that anyone may want to have removed.
 */
export async function once(
  context: Context,
  options: AppOptions,
  make: () => Response | Promise<Response>,
  again: (kept: string) => Response | Promise<Response>,
  keep: (response: Response) => string = ({ status }) => String(status),
): Promise<Response> {
  const key = idempotencyKey(context);
  if (key === undefined) return make();
  const keeper = tenantObject(context, options, GRAPH_CRONS);
  const { caller, ...idempotency } = await idempotencyOf(key, context, sentBody(context.req));
  const scope = JSON.stringify([caller, context.req.path]);
  const keyed = { ...keeper.address, idempotency: { ...idempotency, caller: scope }, claim: uuid7() };
  const claimed = await call(keeper, (api) => api.claimKey(keyed));
  if (!claimed.ok) {
    if (claimed.error.code === "idempotency_key_in_use") context.header("retry-after", "1");
    return refusal(context, claimed);
  }
  if (claimed.value !== null) return again(claimed.value);
  const settled = (async () => {
    let kept: string | null = null;
    try {
      const response = await make();
      if (response.ok) kept = keep(response);
      return response;
    } finally {
      await call(keeper, (api) => api.settleKey(keyed, kept)).catch(options.report);
    }
  })();
  // Also when the client goes, who may ask again.
  context.executionCtx.waitUntil(settled.catch(() => undefined));
  return settled;
}
