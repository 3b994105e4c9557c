import type { Idempotency, ThreadAddress } from "../call.ts";

export interface SendEvent extends ThreadAddress {
  /** Makes sending idempotent: the router mints it. */
  readonly eventId: string;
  readonly key: string;
  readonly payload: unknown;
  /** The same for the same event, however often its sender sends it. */
  readonly delivery?: string;
  readonly idempotency?: Idempotency;
}

/** What became of an event: a run has got it, or it is kept for the first who waits for it. */
export type EventReceipt =
  | { readonly event_id: string; readonly status: "delivered"; readonly run_id: string }
  | { readonly event_id: string; readonly status: "kept" };
