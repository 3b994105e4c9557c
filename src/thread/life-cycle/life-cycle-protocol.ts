import type { JsonObject } from "../../directory/protocol.ts";
import type { Bytes, ByteStream, Idempotency, Reply, ThreadAddress } from "../call.ts";
import type { RequestedCommand } from "../runs/run-request.ts";

/** What the router and a thread object say to each other about the thread as a whole. */

export interface CreateThread extends ThreadAddress {
  readonly metadata: JsonObject;
  /** How long after its last use the thread is deleted, in milliseconds; absent: as the runtime says. */
  readonly ttl?: number;
  /** What is said to have happened in it; the metadata then name its graph, where there are several. */
  readonly supersteps?: readonly RequestedStep[];
  /** What becomes of a thread that is there: an error, or nothing. */
  readonly ifExists: "raise" | "do_nothing";
  readonly idempotency?: Idempotency;
}

/** Updates that were made at once. */
export interface RequestedStep {
  readonly updates: readonly RequestedUpdate[];
}

/** What a node is said to have returned. */
export interface RequestedUpdate {
  readonly values?: unknown;
  /** In place of values. */
  readonly command?: RequestedCommand;
  readonly asNode?: string;
}

export interface PatchThread extends ThreadAddress {
  readonly metadata: JsonObject;
  /** As of a new thread; absent: it stays as it is. */
  readonly ttl?: number;
}

export interface PruneThread extends ThreadAddress {
  readonly keepLast: number;
  /** Milliseconds since 1970; absent: whatever their age. */
  readonly olderThan?: number;
}

export interface ImportThread extends ThreadAddress {
  /** Takes the place of what the archive says under these keys. */
  readonly metadata?: JsonObject | undefined;
  /** Another thread than that of the archive: it begins now. */
  readonly isCopy?: boolean;
  /** The key of the call. What else the call is says the archive, of which the thread makes the hash. */
  readonly idempotency?: Idempotency;
}

/** What an import has brought. */
export interface ImportedThread {
  readonly graph: string;
  readonly checkpoints: number;
  readonly runs: number;
  /** Large values that were in a bucket. */
  readonly blobs: number;
  /** The hashes of those that the archive says it could not have. */
  readonly missing_blobs?: readonly string[];
  /** The hashes of those that are encrypted with a key which is not here: that they are what they are named, nobody can tell. */
  readonly unchecked_blobs?: readonly string[];
}

/** The methods of a thread object for the thread as a whole. */
export interface LifeCycleApi {
  /** Makes a thread that has run nothing; answers as `getThread`. */
  createThread(create: CreateThread): Promise<Reply<Bytes>>;
  /** What is said of the thread, as JSON text. */
  getThread(address: ThreadAddress): Promise<Reply<Bytes>>;
  /** What is stored of the thread, in rows and bytes, as JSON text. */
  getUsage(address: ThreadAddress): Promise<Reply<Bytes>>;
  /** Answers as `getThread`. */
  patchThread(patch: PatchThread): Promise<Reply<Bytes>>;
  deleteThread(address: ThreadAddress): Promise<Reply<null>>;
  /** Whether there is a thread, which stays. */
  hasThread(): Promise<Reply<boolean>>;
  /** Tells the directory what the thread is; false when there is none. The object knows its own address. */
  announceThread(): Promise<Reply<boolean>>;
  pruneThread(prune: PruneThread): Promise<Reply<null>>;
  /** Answers with the bytes of an archive, which break off when the thread is written meanwhile. */
  exportThread(address: ThreadAddress): Promise<Reply<ByteStream>>;
  /** Makes the thread of an archive. */
  importThread(target: ImportThread, archive: ByteStream): Promise<Reply<ImportedThread>>;
}
