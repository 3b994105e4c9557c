import { withNamedAnswer } from "../answers/named-answer.ts";
import { GroupCommit } from "../../storage/group-commit.ts";
import type { Environment } from "../../pregel/environment.ts";
import { isPromise } from "../../checkpoint/maybe-promise.ts";
import { type Ready, requireAccess } from "../access.ts";
import { AnswerClaims } from "../answers/answer-claims.ts";
import { type HashedKey, hashedKey } from "../idempotency/content-hashes.ts";
import type { CrashPoint } from "../crash-points.ts";
import { threadBusy, threadDeleted, threadNotFound } from "../errors.ts";
import type { GraphCatalog } from "../graph-catalog.ts";
import { withInheritedWebhook } from "../outbox/inherited-webhook.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { StartedBy, StartRun } from "./run-protocol.ts";
import type { RunEntrance } from "./run-entrance.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { AfterStop } from "./run-stops.ts";
import { stageRun, type StagedRun } from "./stage-run.ts";
import type { StateReader } from "../state/state-reader.ts";
import { boundMetadata } from "../thread-metadata.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { ThreadTransfer } from "../transfer/thread-transfer.ts";

export interface AdmissionOptions {
  readonly storage: ThreadStorage;
  readonly environment: Pick<Environment, "now" | "yieldTurn">;
  readonly catalog: GraphCatalog;
  readonly states: StateReader;
  readonly queue: RunQueue;
  /** Part of the transaction that makes a thread for one run. */
  readonly onTemporary: () => void;
  /** Part of the transaction that takes a run in, which somebody waits for or not. */
  readonly onChange: (isAwaited: boolean) => void;
  /** The run that was taken in has made the thread. */
  readonly onMade: () => Promise<void>;
  readonly outbox: Outbox;
  readonly entrance: RunEntrance;
  readonly transfer: Pick<ThreadTransfer, "requireIdle">;
  readonly reached: (point: CrashPoint) => void;
}

/** A call whose key is named as the rows name it. */
type HashedStart = StartRun & { readonly idempotency?: HashedKey };

/**
 * Takes runs in. A call that was made before, by its id, its key or its answers, is led to the run that it has started
 * then. What is refused has changed nothing.
 */
export class RunAdmission {
  readonly #options: AdmissionOptions;
  readonly #group: GroupCommit;
  /** Calls whose runs are not in the queue yet. */
  readonly #admitting = new Set<Promise<void>>();
  /** How often the thread was deleted since this instance began. */
  #deletions = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#group = new GroupCommit(() => options.environment.yieldTurn());
  }

  /** Whether a run is on its way into the queue: nothing else makes the thread meanwhile. */
  get isAdmitting(): boolean {
    return this.#admitting.size > 0;
  }

  /** The thread is being deleted: what is on its way into the queue is refused. Resolves when nothing is any more. */
  async dismiss(): Promise<void> {
    this.#deletions += 1;
    await Promise.allSettled(this.#admitting);
  }

  /** The run that the call has started, now or when it came before with its key. */
  async startedBy({ runId, idempotency: key }: StartedBy): Promise<string | undefined> {
    const idempotency = await hashedKey(this.#options.storage.serde, key);
    return this.#known({ runId, ...(idempotency !== undefined && { idempotency }) });
  }

  /**
   * Returns the id of the run that a caller's call is about, as `admit` does. It may wait for other calls: only then anything is
   * looked at for it.
   */
  async accept(call: StartRun, ready: Ready): Promise<string> {
    await this.#group.join();
    await ready(call);
    let { runId } = call;
    await this.admit(call, (admitted) => (runId = admitted));
    return runId;
  }

  /**
   * Calls `onAdmitted` with the id of the run that the call is about, before that run can go on: when it is a new one, in
   * the transaction that takes it in. What that throws undoes it.
   */
  async admit(call: StartRun, onAdmitted: (runId: string) => void): Promise<void> {
    const { storage, transfer, onMade } = this.#options;
    // It may have begun since this call was let in.
    transfer.requireIdle();
    const isNew = storage.thread() === undefined;
    const admitting = this.#admit(call, onAdmitted);
    this.#admitting.add(admitting);
    await admitting.finally(() => this.#admitting.delete(admitting));
    if (isNew && call.isAwaited !== true) await onMade();
  }

  async #admit(call: StartRun, onAdmitted: (runId: string) => void): Promise<void> {
    const { entrance, queue, states, storage, reached } = this.#options;
    const deletions = this.#deletions;
    const hashing = hashedKey(storage.serde, call.idempotency);
    const idempotency = isPromise(hashing) ? await hashing : hashing;
    const { idempotency: _, ...others } = call;
    const given: HashedStart = idempotency === undefined ? others : { ...others, idempotency };
    const known = this.#known(given);
    if (known !== undefined) return onAdmitted(known);
    this.#options.outbox.check(given.request);
    const named = await withNamedAnswer(storage, states, given);
    const start = await withInheritedWebhook(storage, named);
    if (start.mustExist === true && storage.thread() === undefined) throw threadNotFound(start.threadId);
    const name = this.#chooseGraph(start);
    const claims = storage.thread() && (await AnswerClaims.of(storage, states, start));
    const winner = claims?.winner();
    if (winner !== undefined) return onAdmitted(winner);
    const staged = await this.#stage(start);
    reached("run.staged");
    try {
      if (start.request.multitask === "interrupt") await entrance.told();
      const tellStopped = storage.transaction(() => {
        if (deletions !== this.#deletions) throw threadDeleted(start.threadId);
        const earlier = this.#prepare(start, name, claims);
        const after = earlier === undefined ? this.#enqueue(start, staged, claims) : () => undefined;
        onAdmitted(earlier ?? start.runId);
        return after;
      });
      reached("run.admitted");
      tellStopped();
    } finally {
      await staged.record.release();
    }
    queue.wake();
  }

  /**
   * In a transaction. Another call may have created the thread, or the run, since this one was looked at: then its id is
   * returned.
   */
  #prepare(start: HashedStart, graph: string, claims: AnswerClaims | undefined): string | undefined {
    const { environment, queue, storage } = this.#options;
    const thread = storage.thread();
    if (thread === undefined) {
      const { tenant, threadId } = start;
      const createdAt = environment.now();
      storage.create({
        tenant,
        thread_id: threadId,
        graph,
        created_at: createdAt,
        metadata: boundMetadata(start.request.threadMetadata ?? {}, graph, start.request.assistant),
      });
      if (start.isTemporary === true) this.#options.onTemporary();
      return undefined;
    }
    // It may have come to be, for somebody else, since this call was let in.
    requireAccess(thread, start);
    this.#chooseGraph(start);
    const known = this.#known(start) ?? claims?.winner();
    if (known !== undefined) return known;
    if (start.request.multitask === "reject" && queue.isBusy()) throw threadBusy(start.threadId);
    const { graph: bound, metadata } = thread;
    if (bound !== "") return undefined;
    storage.row.bind(graph, boundMetadata(metadata, graph, start.request.assistant));
    if (start.isTemporary === true) this.#options.onTemporary();
    return undefined;
  }

  #enqueue(start: HashedStart, staged: StagedRun, claims: AnswerClaims | undefined): AfterStop {
    const { environment, entrance, outbox, storage, onChange } = this.#options;
    const { multitask = "enqueue", delay, timeLimit } = start.request;
    const now = environment.now();
    onChange(start.isAwaited === true);
    staged.record.commit();
    const after = entrance.admit({
      ...staged.run,
      createdAt: now,
      startAt: delay === undefined ? undefined : now + delay,
      multitask,
      timeLimit,
      isAcknowledged: start.isAcknowledged === true || delay !== undefined,
    });
    outbox.expect(start.runId, start.request);
    claims?.record(now);
    if (start.idempotency !== undefined) storage.keys.insert(start.idempotency, start.runId, now);
    return after;
  }

  #known({ idempotency, runId }: Pick<HashedStart, keyof StartedBy>): string | undefined {
    const { environment, storage } = this.#options;
    const thread = storage.thread();
    if (thread === undefined) return undefined;
    // Before the id, which may follow from the key: whoever uses that for something else is refused.
    const found = idempotency && storage.keys.find(idempotency, environment.now());
    if (found !== undefined) return found;
    // One without a graph has run nothing.
    return thread.graph !== "" && storage.runs.get(runId) !== undefined ? runId : undefined;
  }

  #chooseGraph(start: StartRun): string {
    const { catalog, storage } = this.#options;
    return catalog.choose(start, storage.thread()?.graph);
  }

  async #stage(start: StartRun): Promise<StagedRun> {
    const { storage } = this.#options;
    if (storage.thread() === undefined) storage.prepare();
    try {
      return await stageRun(storage, start);
    } catch (error) {
      if (this.#admitting.size === 1 && storage.thread() === undefined) await storage.reset();
      throw error;
    }
  }
}
