import type { ThreadStorage } from "../thread-storage.ts";
import type { CronTerms } from "./cron-rows.ts";
import { type NextTime, nextOf } from "./schedules.ts";

/** Undefined for one that is switched off; its schedule has to be one nevertheless. */
export function nextOfEnabled(
  nextTime: NextTime | undefined,
  cron: Pick<CronTerms, "schedule" | "timezone" | "enabled" | "endAt">,
  after: number,
): number | undefined {
  const next = nextOf(nextTime, cron, after);
  return cron.enabled ? next : undefined;
}

/** In a transaction. */
export function setCronTimer({ timers }: ThreadStorage, id: string, due: number | undefined): void {
  if (due === undefined) timers.clear("cron", id);
  else timers.set("cron", id, due);
}
