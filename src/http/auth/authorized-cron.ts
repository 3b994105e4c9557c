import type { Context } from "hono";
import type { CreateCron, PatchCron, RunRequest } from "../../thread/protocol.ts";
import { authorize, authorizedMetadata } from "./authorization.ts";
import { authorizedRun, callerConfig, toldRun } from "./authorized-run.ts";

type NewCron = Pick<CreateCron, "cronId" | "schedule" | "endAt"> & {
  /** Undefined: each run gets one of its own. */
  readonly threadId: string | undefined;
};

/** Asks whether the caller may make the cron, and start the runs that it starts. */
export async function authorizedCron(
  context: Context,
  { cronId, threadId, schedule, endAt }: NewCron,
  request: RunRequest,
): Promise<RunRequest> {
  const { configurable = {}, authorize: decide } = context.get("principal");
  const authorized = await authorizedRun(context, { threadId, runId: cronId }, request);
  const run = { ...authorized, config: { ...authorized.config, callerKeys: Object.keys(configurable) } };
  if (decide === undefined) return run;
  const { metadata: said, kwargs } = toldRun(run);
  const { metadata } = await authorize(context, "crons:create", {
    cron_id: cronId,
    thread_id: threadId,
    schedule,
    end_time: endAt === undefined ? null : new Date(endAt).toISOString(),
    payload: kwargs,
    metadata: said,
  });
  return { ...run, config: { ...run.config, metadata: authorizedMetadata(metadata) } };
}

interface ChangedCron extends Pick<NewCron, "cronId" | "threadId"> {
  /** Undefined: it stays. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** Asks whether the caller may start runs as the cron starts them from now on, if that changes. They are the caller's then. */
export async function authorizeChangedRuns(
  context: Context,
  { cronId, threadId, metadata }: ChangedCron,
  changes: Partial<RunRequest>,
): Promise<Pick<PatchCron, "callerConfigurable">> {
  if (Object.keys(changes).length === 0) return {};
  const { configurable: ofCaller = {} } = context.get("principal");
  const config = callerConfig(context, { ...changes.config, ...(metadata && { metadata }) });
  const run = toldRun({
    input: { kind: "continue" },
    modes: [],
    onInterrupted: "refuse",
    ...changes,
    config,
  });
  await authorize(context, "threads:create_run", { thread_id: threadId, run_id: cronId, ...run });
  return { callerConfigurable: ofCaller };
}
