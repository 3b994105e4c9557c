import type { Interrupt } from "../../interrupt-error.ts";
import { mintHook } from "../../hooks/hook-token.ts";
import { stringifyJson } from "../../json.ts";
import type { RunEnd } from "../runs/run-end.ts";
import type { ThreadRow } from "../thread-rows.ts";
import { waitingOf } from "../wire.ts";
import type { Delivery } from "./delivery-rows.ts";
import type { LinkOptions } from "./outbox-options.ts";

/** Of the values of a run, in characters of JSON: longer ones are to be read from the thread. */
const MAX_VALUES = 256 * 1024;

export interface MessageParts {
  readonly thread: ThreadRow;
  readonly delivery: Delivery;
  readonly end: RunEnd;
  readonly values: unknown;
  readonly links: LinkOptions | undefined;
}

/** What is told of a run that has paused or ended: the same text at each attempt. */
export async function messageOf({ thread, delivery, end, values, links }: MessageParts): Promise<string> {
  const { status, next, checkpointId = null, error } = end;
  const text = stringifyJson(values);
  const isShort = text.length <= MAX_VALUES;
  const interrupts = await Promise.all(
    end.interrupts.map(async (question) => ({
      ...question,
      ...(links && (await linkOf(question, { thread, delivery, end, values, links }))),
    })),
  );
  return stringifyJson({
    type: status === "interrupted" ? "run.paused" : "run.ended",
    timestamp: new Date(delivery.createdAt).toISOString(),
    data: {
      thread_id: thread.thread_id,
      run_id: delivery.run,
      status,
      ...(error === undefined ? { values: isShort ? values : null, values_omitted: !isShort } : { error }),
      next,
      interrupts,
      ...waitingOf(end.waiting),
      checkpoint_id: checkpointId,
    },
  });
}

/** A link that answers the question. The delivery's id makes it this one's own. */
async function linkOf(
  { id }: Interrupt,
  { thread, delivery, end, links }: MessageParts & { readonly links: LinkOptions },
): Promise<{ readonly url: string; readonly expires_at: string }> {
  const expires = delivery.createdAt + links.expiresIn;
  const token = await mintHook(links.keys, {
    tenant: thread.tenant,
    threadId: thread.thread_id,
    checkpointId: end.checkpointId ?? "",
    interruptId: id ?? "",
    expires,
    nonce: delivery.id,
  });
  return { url: `${links.origin}/hooks/${token}`, expires_at: new Date(expires).toISOString() };
}
