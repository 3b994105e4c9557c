import type { RunStart } from "../../pregel/limits.ts";
import { toBodyRow } from "../../storage/body-row.ts";
import type { Claim, EndedRun, NewRun, RunRow } from "./run-row.ts";

/** What a run's row says after it was written: as it is read, without reading it. */

export function newRun({ request, ...run }: NewRun): RunRow {
  return {
    ...run,
    request: toBodyRow(request),
    status: "pending",
    attempt: 0,
    stalled: 0,
    inputApplied: false,
    lastStep: undefined,
    firstStep: undefined,
    began: undefined,
    fault: undefined,
    startedAt: undefined,
    endedAt: undefined,
    cancelled: undefined,
    version: undefined,
    outcome: undefined,
    place: undefined,
    progress: undefined,
  };
}

/** One that is cancelled is not entered, but what it has written is removed. */
export function claimedRun(run: RunRow, { startedAt, version, isCounted }: Claim, place: number): RunRow {
  return {
    ...run,
    ...(run.cancelled === undefined && { status: "running", attempt: run.attempt + 1 }),
    stalled: run.stalled + Number(isCounted),
    startedAt: run.startedAt ?? startedAt,
    version,
    place,
  };
}

export function begunRun(
  run: RunRow,
  lastStep: number,
  firstStep: number,
  start: RunStart | undefined,
): RunRow {
  return {
    ...run,
    stalled: 0,
    inputApplied: true,
    lastStep,
    firstStep: run.firstStep ?? firstStep,
    began: run.began ?? start,
  };
}

export function endedRun(run: RunRow, end: EndedRun, place: number): RunRow {
  const { status, endedAt, outcome, cancelled = run.cancelled, progress } = end;
  return {
    ...run,
    status,
    endedAt,
    outcome: outcome && toBodyRow(outcome),
    cancelled,
    progress,
    place,
    context: undefined,
    fault: undefined,
  };
}
