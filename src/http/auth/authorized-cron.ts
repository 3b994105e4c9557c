import type { Context } from "hono";
import type { CreateCron, RunRequest } from "../../thread/protocol.ts";
import { authorize, authorizedMetadata } from "./authorization.ts";
import { authorizedRun, toldRun } from "./authorized-run.ts";

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
  const run = await authorizedRun(context, { threadId, runId: cronId }, request);
  if (context.get("principal").authorize === undefined) return run;
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
