import type { Context } from "hono";
import { RefusedError } from "../../errors.ts";
import {
  authenticateAs,
  type AuthenticationOptions,
  permissionOf,
  unauthenticated,
} from "./authentication.ts";
import { accessTo, authorize } from "./authorization.ts";

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

export interface Listening {
  /** Of the thread that is listened to. */
  readonly threadId?: string;
  /** Asks when nothing else goes on for the same request. */
  readonly inTurn?: (ask: () => Promise<void>) => Promise<void>;
}

/** Asks a listener at a steady pace, until the signal is aborted. Throws also when it may hear of other threads than before. */
export async function reauthentications(
  context: Context,
  options: ReauthenticationOptions,
  signal: AbortSignal,
  { threadId, inTurn = (ask) => ask() }: Listening = {},
): Promise<never> {
  const verdict = (): Promise<string> => verdictOn(context, threadId);
  const before = await verdict();
  const ask = async (): Promise<void> => {
    // No request of its own: it is not counted.
    await reauthenticate(context, { ...options, rateLimiter: () => undefined });
    if ((await verdict()) === before) return;
    throw new RefusedError("forbidden", "What the listener may hear of has changed: it has to come again.");
  };
  for (;;) {
    await scheduler.wait(options.reauthenticate, { signal });
    await inTurn(ask);
  }
}

/** Does what takes long as long as the caller may have what comes of it. */
export async function whileAllowed<Value>(
  work: Promise<Value>,
  watch: (signal: AbortSignal) => Promise<never>,
): Promise<Value> {
  const stop = new AbortController();
  try {
    return await Promise.race([work, watch(stop.signal)]);
  } finally {
    stop.abort();
  }
}

/**
 * What may be heard of threads, or of the one thread of a run that the request has started: handlers were asked whether it may
 * be started, and who may do that need not be one who may read.
 */
async function verdictOn(context: Context, threadId: string | undefined): Promise<string> {
  const { authorize: decide } = context.get("principal");
  if (decide && threadId !== undefined && permissionOf(context) === "threads:create_run") {
    try {
      await authorize(context, "threads:read", { thread_id: threadId });
    } catch (error) {
      if (error instanceof RefusedError) return "refused";
      throw error;
    }
  }
  return JSON.stringify(accessTo(context, "threads") ?? null);
}

/** The body was read long ago. */
function withoutBody({ url, method, headers, cf }: Request): Request {
  return new Request(url, { method, headers, ...(cf !== undefined && { cf: { ...cf } }) });
}
