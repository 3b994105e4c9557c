import { RefusedError } from "../../errors.ts";
import type { Principal } from "./principal.ts";

/** The platform's binding for rate limits: https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ */
export interface RateLimiter {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** Refuses a request whose caller has made too many; those of nobody are counted by the address that they come from. */
export async function limitRate(
  limiter: RateLimiter | undefined,
  request: Request,
  principal: Principal | undefined,
): Promise<void> {
  if (limiter === undefined) return;
  const key =
    principal === undefined
      ? ["address", request.headers.get("cf-connecting-ip") ?? ""]
      : ["caller", principal.tenant, principal.caller];
  const { success } = await limiter.limit({ key: JSON.stringify(key) });
  if (!success) throw new RefusedError("rate_limited", "Too many requests: send the next one later.");
}
