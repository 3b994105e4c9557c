import type { Delivery } from "./delivery-rows.ts";

export function wireDelivery(delivery: Delivery): unknown {
  const { id, run, status, attempts, createdAt, endedAt, response, error } = delivery;
  return {
    id,
    run_id: run,
    status,
    attempts,
    created_at: new Date(createdAt).toISOString(),
    ended_at: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    response: response ?? null,
    error: error ?? null,
  };
}
