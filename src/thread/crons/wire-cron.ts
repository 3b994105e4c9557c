import type { CronRow } from "./cron-rows.ts";
import type { RunRequest } from "../runs/run-request.ts";
import { toldWebhook } from "../runs/told-webhook.ts";
import { assistantOf } from "../thread-metadata.ts";

/** The thread that a cron is told of with. */
export interface CronHome {
  readonly thread_id: string;
  readonly graph: string;
}

/** In the words of LangGraph's platform, with keys of our own: what became of the last run. Without `configurable`, which says of who has made it what is for graphs alone, and `context`, which may hold keys. */
export function wireCron(
  cron: CronRow,
  { graph: named, input, config, webhook, multitask }: RunRequest,
  home: CronHome | undefined,
): Readonly<Record<string, unknown>> {
  const graph = named ?? home?.graph;
  const isOfThread = cron.threads === undefined;
  return {
    cron_id: cron.id,
    assistant_id: graph === undefined ? (cron.assistant ?? null) : assistantOf(graph, cron.assistant),
    thread_id: (isOfThread && home?.thread_id) || null,
    on_run_completed: cron.threads ?? null,
    schedule: cron.schedule,
    timezone: cron.timezone,
    enabled: cron.enabled,
    created_at: time(cron.createdAt),
    updated_at: time(cron.updatedAt),
    end_time: time(cron.endAt),
    next_run_date: time(cron.nextAt),
    user_id: null,
    payload: {
      input: input.kind === "input" ? input.value : null,
      config: configOf(config),
      ...(webhook !== undefined && { webhook: toldWebhook(webhook) }),
      ...(multitask !== undefined && { multitask_strategy: multitask }),
    },
    metadata: config.metadata ?? {},
    last_run_id: cron.lastRun ?? null,
    last_error: cron.lastError ?? null,
  };
}

function configOf({ recursionLimit, tags }: RunRequest["config"]): object {
  return {
    ...(recursionLimit !== undefined && { recursion_limit: recursionLimit }),
    ...(tags !== undefined && { tags }),
  };
}

function time(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
