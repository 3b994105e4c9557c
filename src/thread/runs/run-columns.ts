import type { Encoded } from "../../checkpoint/encoding.ts";
import type { BodyRow } from "../../storage/body-row.ts";
import { fromStoredId, type StoredId } from "../../storage/stored-id.ts";
import type { RunStart } from "../../pregel/limits.ts";
import type { Cancellation } from "./run-protocol.ts";
import type { MultitaskStrategy } from "./run-request.ts";
import type { RunRow, RunStatus } from "./run-row.ts";

/** The columns of `runs`. */
export type RunColumns = {
  id: string;
  status: RunStatus;
  attempt: number;
  stalled: number;
  input_applied: number;
  last_step: number | null;
  first_step: number | null;
  began: string | null;
  fault_type: string | null;
  fault: ArrayBuffer | string | null;
  created_at: number;
  start_at: number | null;
  started_at: number | null;
  ended_at: number | null;
  multitask: MultitaskStrategy | null;
  time_limit: number | null;
  acknowledged: number;
  cancelled: Cancellation | null;
  version: string | null;
  checkpoint: StoredId | null;
  supersteps: number | null;
  place: number | null;
  request_type: string;
  request: ArrayBuffer | null;
  request_hash: ArrayBuffer | null;
  context_type: string | null;
  context: ArrayBuffer | null;
  outcome_type: string | null;
  outcome: ArrayBuffer | null;
  outcome_hash: ArrayBuffer | null;
};

type RequestColumns = Pick<RunColumns, "request_type" | "request" | "request_hash">;

export type Bodies = RequestColumns & Pick<RunColumns, "id" | "outcome_type" | "outcome" | "outcome_hash">;

export function fromColumns(row: RunColumns): RunRow {
  return {
    id: row.id,
    status: row.status,
    attempt: row.attempt,
    stalled: row.stalled,
    inputApplied: row.input_applied === 1,
    lastStep: row.last_step ?? undefined,
    firstStep: row.first_step ?? undefined,
    // Written by `RunRows`.
    began: row.began === null ? undefined : (JSON.parse(row.began) as RunStart),
    fault: faultOf(row),
    createdAt: row.created_at,
    startAt: row.start_at ?? undefined,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    multitask: row.multitask ?? "enqueue",
    timeLimit: row.time_limit ?? undefined,
    isAcknowledged: row.acknowledged === 1,
    cancelled: row.cancelled ?? undefined,
    version: row.version ?? undefined,
    request: requestOf(row),
    context:
      row.context_type === null || row.context === null
        ? undefined
        : { type: row.context_type, data: new Uint8Array(row.context) },
    outcome: outcomeOf(row),
    place: row.place ?? undefined,
    // Older code has not written it down.
    progress:
      row.supersteps === null
        ? undefined
        : {
            checkpointId: row.checkpoint === null ? undefined : fromStoredId(row.checkpoint),
            supersteps: row.supersteps,
          },
  };
}

/** Older rows have it as JSON, which may say what is to be encrypted now: it is left out. */
function faultOf({ fault_type: type, fault }: RunColumns): Encoded | undefined {
  return type === null || !(fault instanceof ArrayBuffer) ? undefined : { type, data: new Uint8Array(fault) };
}

export function requestOf(row: RequestColumns): BodyRow {
  return { type: row.request_type, body: row.request, body_hash: row.request_hash };
}

export function outcomeOf(row: Bodies): BodyRow | undefined {
  return row.outcome_type === null
    ? undefined
    : { type: row.outcome_type, body: row.outcome, body_hash: row.outcome_hash };
}
