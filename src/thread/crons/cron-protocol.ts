import type { JsonObject } from "../../directory/protocol.ts";
import type { Bytes, Reply, ThreadAddress } from "../call.ts";
import type { RunRequest } from "../runs/run-request.ts";

/** What the router and a thread object say to each other about crons. */

export interface CreateCron extends ThreadAddress {
  /** Makes creating idempotent: the router mints it. */
  readonly cronId: string;
  readonly schedule: string;
  /** An IANA name. */
  readonly timezone: string;
  readonly enabled: boolean;
  /** Milliseconds since 1970. */
  readonly endAt: number | undefined;
  readonly request: RunRequest;
  /** What the caller calls the graph, or the assistant. */
  readonly assistant: string | undefined;
  /** Each run gets a thread of its own, and this becomes of it; absent: the runs are of this thread. */
  readonly threads?: CronThreads;
}

export type CronThreads = "delete" | "keep";

export interface ListCrons extends ThreadAddress {
  /** As `access`, of the crons. */
  readonly cronAccess?: JsonObject | undefined;
}

export interface NamedCron extends ListCrons {
  readonly cronId: string;
}

/** What is absent stays. `threads` says nothing of a cron whose runs are of one thread. */
export interface PatchCron
  extends NamedCron, Partial<Pick<CreateCron, "schedule" | "timezone" | "enabled" | "threads">> {
  /** Null: it does not end. */
  readonly endAt?: number | null;
  readonly request: Partial<RunRequest>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** What graphs find of the caller, whose runs these are from now on; absent: they stay those of who has made the cron. */
  readonly callerConfigurable?: Readonly<Record<string, unknown>>;
}

/** The methods of a thread object for crons. */
export interface CronsApi {
  createCron(create: CreateCron): Promise<Reply<Bytes>>;
  patchCron(patch: PatchCron): Promise<Reply<Bytes>>;
  listCrons(list: ListCrons): Promise<Reply<Bytes>>;
  getCron(cron: NamedCron): Promise<Reply<Bytes>>;
  deleteCron(cron: NamedCron): Promise<Reply<null>>;
}
