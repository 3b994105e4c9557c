import type { Context } from "hono";
import { RefusedError } from "../../errors.ts";
import { authenticateAs, type AuthenticationOptions, unauthenticated } from "./authentication.ts";
import { accessTo } from "./authorization.ts";

export interface ReauthenticationOptions extends AuthenticationOptions {
  /** Who listens is asked again so often who it is, in milliseconds. */
  readonly reauthenticate: number;
}

/**
 * Asks again who makes a request that goes on for long, and what they may do: its key may be revoked, its token run out.
 * Throws what refuses it.
 */
export async function reauthenticate(context: Context, options: AuthenticationOptions): Promise<void> {
  const { tenant, caller } = context.get("principal");
  await authenticateAs(context, options, withoutBody(context.req.raw));
  const now = context.get("principal");
  if (now.tenant !== tenant || now.caller !== caller) throw unauthenticated();
}

/**
 * Asks a listener at a steady pace, until the signal is aborted. Throws also when it may hear of other threads than before.
 * `inTurn` asks when nothing else goes on for the same request.
 */
export async function reauthentications(
  context: Context,
  options: ReauthenticationOptions,
  signal: AbortSignal,
  inTurn: (ask: () => Promise<void>) => Promise<void> = (ask) => ask(),
): Promise<never> {
  const access = JSON.stringify(accessTo(context, "threads"));
  const ask = async (): Promise<void> => {
    // No request of its own: it is not counted.
    await reauthenticate(context, { ...options, rateLimiter: () => undefined });
    if (JSON.stringify(accessTo(context, "threads")) === access) return;
    throw new RefusedError("forbidden", "What the listener may hear of has changed: it has to come again.");
  };
  for (;;) {
    await scheduler.wait(options.reauthenticate, { signal });
    await inTurn(ask);
  }
}

/** The body was read long ago. */
function withoutBody({ url, method, headers, cf }: Request): Request {
  return new Request(url, { method, headers, ...(cf !== undefined && { cf: { ...cf } }) });
}
