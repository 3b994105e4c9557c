import { readArchive } from "../../archive/read-archive.ts";
import { writeArchive } from "../../archive/write-archive.ts";
import type { Environment } from "../../pregel/environment.ts";
import { isThreadChanged, threadBeingImported } from "../errors.ts";
import { exportThread } from "./export-thread.ts";
import type { GraphCatalog } from "../graph-catalog.ts";
import { archiveKey, importThread } from "./import-thread.ts";
import type { ThreadPlatform } from "../platform.ts";
import { makeThread } from "./made-thread.ts";
import type { ByteStream } from "../call.ts";
import type {
  CreateThread,
  ImportedThread,
  ImportThread,
  RequestedStep,
} from "../life-cycle/life-cycle-protocol.ts";
import { boundMetadata } from "../thread-metadata.ts";
import type { ThreadStorage } from "../thread-storage.ts";

export interface ThreadTransferParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly catalog: GraphCatalog;
  readonly environment: Environment;
  /** Part of the transaction with which a thread is there. */
  readonly onMade: () => void;
}

/** Moves the thread out of its object, and into it. While it is being imported, nothing else may happen to it. */
export class ThreadTransfer {
  readonly #storage: ThreadStorage;
  readonly #platform: ThreadPlatform;
  readonly #catalog: GraphCatalog;
  readonly #environment: Environment;
  readonly #onMade: () => void;
  #importing: string | undefined;

  constructor({ storage, platform, catalog, environment, onMade }: ThreadTransferParts) {
    this.#environment = environment;
    this.#storage = storage;
    this.#platform = platform;
    this.#catalog = catalog;
    this.#onMade = onMade;
  }

  get isImporting(): boolean {
    return this.#importing !== undefined;
  }

  requireIdle(): void {
    if (this.#importing !== undefined) throw threadBeingImported(this.#importing);
  }

  /** Sees to it that what an import leaves is removed when this instance ends before it. */
  guard(): void {
    this.#storage.timers.hold(this.#platform.now() + this.#platform.lease);
  }

  async export(threadId: string): Promise<ByteStream> {
    const records = await exportThread(this.#storage, threadId, (error, fields) =>
      this.#platform.report(error, fields),
    );
    const { readable, writable } = new IdentityTransformStream();
    this.#platform.waitUntil(pump(writeArchive(this.#reported(records)), writable.getWriter()));
    return readable;
  }

  /** Whoever reads an export sees that it breaks off, but not why. */
  async *#reported<Each>(records: AsyncIterable<Each>): AsyncGenerator<Each, void, undefined> {
    try {
      yield* records;
    } catch (error) {
      if (!isThreadChanged(error)) this.#platform.report(error);
      throw error;
    }
  }

  import(
    { metadata, isCopy, idempotency, ...address }: ImportThread,
    archive: ByteStream,
  ): Promise<ImportedThread> {
    return this.#making(address.threadId, () =>
      importThread(readArchive(archive), {
        storage: this.#storage,
        address,
        metadata,
        isCopy,
        idempotency,
        chooseGraph: (named) => (named === "" ? "" : this.#catalog.nameOf(named)),
        now: this.#platform.now(),
        reached: (point) => this.#platform.reached(point),
      }),
    );
  }

  /** What the same call has imported before, if it has. */
  async imported({ idempotency }: ImportThread, archive: ByteStream): Promise<ImportedThread | undefined> {
    if (idempotency === undefined) return undefined;
    const records = readArchive(archive);
    let record = await records.next();
    while (record.done !== true) record = await records.next();
    const key = await archiveKey({ storage: this.#storage, idempotency }, record.value);
    const known = key && this.#storage.keys.find(key, this.#platform.now());
    // What `importThread` has written.
    return known === undefined ? undefined : (JSON.parse(known) as ImportedThread);
  }

  /** Makes the thread of what is said to have happened in it. */
  make({ tenant, threadId, metadata, ttl }: CreateThread, steps: readonly RequestedStep[]): Promise<void> {
    const { graph_id: named } = metadata;
    const graph = this.#catalog.nameOf(typeof named === "string" ? named : undefined);
    const row = {
      tenant,
      thread_id: threadId,
      graph,
      created_at: this.#platform.now(),
      metadata: boundMetadata(metadata, graph),
      ...(ttl !== undefined && { ttl }),
    };
    return this.#making(threadId, () =>
      makeThread(this.#storage, this.#environment, this.#catalog.require(graph), row, steps),
    );
  }

  async #making<Made>(threadId: string, work: () => Promise<Made>): Promise<Made> {
    this.requireIdle();
    this.#importing = threadId;
    try {
      this.guard();
      const imported = await work();
      this.#storage.transaction(this.#onMade);
      this.#storage.timers.release();
      this.#platform.reached("import.finished");
      return imported;
    } catch (error) {
      await this.#storage.deleteAll();
      throw error;
    } finally {
      this.#importing = undefined;
    }
  }
}

/** Breaks off when there is no more to come that is true, or nobody reads on. */
async function pump(
  chunks: AsyncIterable<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
  }
}
