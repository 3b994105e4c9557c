import type { BaseStore } from "../../checkpoint/store/base-store.ts";
import type { DirectoryApi } from "../../directory/protocol.ts";

/** The directory that a thread belongs to. */
export interface ThreadDirectory {
  of(tenant: string): Pick<DirectoryApi, "knowsThread" | "putThread" | "removeThread">;
  /** What the tenant's graphs remember across threads. */
  store(tenant: string): BaseStore;
  /** What it is told of the values. */
  readonly extract: readonly string[];
}
