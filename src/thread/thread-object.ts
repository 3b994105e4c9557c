import { DurableObject } from "cloudflare:workers";
import type { CrashPoint } from "./crash-points.ts";
import type { HookAddress, ListDeliveries } from "./answers/hook-protocol.ts";
import type { Bytes, ByteStream, Reply, ThreadAddress } from "./call.ts";
import type { CreateCron, ListCrons, NamedCron, PatchCron } from "./crons/cron-protocol.ts";
import type { ReadEvents, RunEvents } from "./events/event-protocol.ts";
import type { KeyedCall } from "./idempotency/key-protocol.ts";
import type {
  CreateThread,
  ImportedThread,
  ImportThread,
  PatchThread,
  PruneThread,
} from "./life-cycle/life-cycle-protocol.ts";
import type { ThreadApi } from "./protocol.ts";
import type {
  AcceptedRun,
  CancelRun,
  ListGraphs,
  ListRuns,
  NamedRun,
  StartRun,
  ToldRun,
} from "./runs/run-protocol.ts";
import type { EditState, ReadHistory, ReadState } from "./state/state-protocol.ts";
import type { EventReceipt, SendEvent } from "./waits/sent-event.ts";
import { parseJsonObject } from "./thread-rows.ts";
import type { Thread } from "./thread.ts";
import { UnusableThread } from "./unusable-thread.ts";

/** Nothing happens at a crash point; a class of a test overrides the method, to end the object there. */
export interface CrashWitness {
  reached(point: CrashPoint): void;
}

/** The object that a thread lives in: its methods are the RPC interface. */
export abstract class ThreadObject extends DurableObject implements ThreadApi, CrashWitness {
  readonly #thread: Thread | UnusableThread;

  constructor(
    ctx: DurableObjectState,
    env: unknown,
    makeThread: (witness: CrashWitness) => Thread | UnusableThread,
  ) {
    // The class is bound to no one's bindings: those it uses are looked up by name and checked.
    super(ctx, env as Cloudflare.Env);
    this.#thread = makeThread(this);
  }

  reached(_point: CrashPoint): void {}

  /** Of a deployment that cannot read or write the thread, every call is told so. */
  #serve<Value>(call: (thread: Thread) => Promise<Reply<Value>>): Promise<Reply<Value>> {
    return this.#thread instanceof UnusableThread ? this.#thread.refuse() : call(this.#thread);
  }

  invoke(start: StartRun): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.invoke(start));
  }

  stream(start: StartRun, after?: string): Promise<Reply<RunEvents>> {
    return this.#serve((thread) => thread.stream(start, after));
  }

  readEvents(read: ReadEvents): Promise<Reply<RunEvents>> {
    return this.#serve((thread) => thread.readEvents(read));
  }

  startRun(start: StartRun): Promise<Reply<ToldRun>> {
    return this.#serve((thread) => thread.runs.startRun(start));
  }

  acceptRun(start: StartRun): Promise<Reply<AcceptedRun>> {
    return this.#serve((thread) => thread.runs.acceptRun(start));
  }

  getRun(run: NamedRun): Promise<Reply<ToldRun>> {
    return this.#serve((thread) => thread.runs.getRun(run));
  }

  listRuns(list: ListRuns): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.runs.listRuns(list));
  }

  listGraphs(list: ListGraphs): Promise<Reply<readonly string[]>> {
    return this.#serve((thread) => thread.runs.listGraphs(list));
  }

  joinRun(run: NamedRun): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.runs.joinRun(run));
  }

  cancelRun(cancel: CancelRun): Promise<Reply<ToldRun>> {
    return this.#serve((thread) => thread.runs.cancelRun(cancel));
  }

  deleteRun(run: NamedRun): Promise<Reply<null>> {
    return this.#serve((thread) => thread.runs.deleteRun(run));
  }

  readHook(hook: HookAddress): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.hooks.readHook(hook));
  }

  answerHook(...answer: Parameters<ThreadApi["answerHook"]>): Promise<Reply<null>> {
    return this.#serve((thread) => thread.hooks.answerHook(...answer));
  }

  claimKey(call: KeyedCall): Promise<Reply<string | null>> {
    return this.#serve((thread) => thread.keys.claimKey(call));
  }

  settleKey(call: KeyedCall, answer: string | null): Promise<Reply<null>> {
    return this.#serve((thread) => thread.keys.settleKey(call, answer));
  }

  listDeliveries(list: ListDeliveries): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.hooks.listDeliveries(list));
  }

  getState(read: ReadState): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.getState(read));
  }

  getHistory(read: ReadHistory): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.getHistory(read));
  }

  createThread(create: CreateThread): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.lifeCycle.createThread(create));
  }

  getThread(address: ThreadAddress): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.lifeCycle.getThread(address));
  }

  getUsage(address: ThreadAddress): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.lifeCycle.getUsage(address));
  }

  patchThread(patch: PatchThread): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.lifeCycle.patchThread(patch));
  }

  updateState(edit: EditState): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.updateState(edit));
  }

  sendEvent(event: SendEvent): Promise<Reply<EventReceipt>> {
    return this.#serve((thread) => thread.sendEvent(event));
  }

  createCron(create: CreateCron): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.crons.createCron(create));
  }

  patchCron(patch: PatchCron): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.crons.patchCron(patch));
  }

  getCron(cron: NamedCron): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.crons.getCron(cron));
  }

  listCrons(list: ListCrons): Promise<Reply<Bytes>> {
    return this.#serve((thread) => thread.crons.listCrons(list));
  }

  deleteCron(cron: NamedCron): Promise<Reply<null>> {
    return this.#serve((thread) => thread.crons.deleteCron(cron));
  }

  deleteThread(address: ThreadAddress): Promise<Reply<null>> {
    return this.#serve((thread) => thread.lifeCycle.deleteThread(address));
  }

  hasThread(): Promise<Reply<boolean>> {
    return this.#serve((thread) => thread.lifeCycle.hasThread());
  }

  announceThread(): Promise<Reply<boolean>> {
    return this.#serve((thread) => thread.lifeCycle.announceThread());
  }

  pruneThread(prune: PruneThread): Promise<Reply<null>> {
    return this.#serve((thread) => thread.lifeCycle.pruneThread(prune));
  }

  exportThread(address: ThreadAddress): Promise<Reply<ByteStream>> {
    return this.#serve((thread) => thread.lifeCycle.exportThread(address));
  }

  importThread(target: ImportThread, archive: ByteStream): Promise<Reply<ImportedThread>> {
    return this.#serve((thread) => thread.lifeCycle.importThread(target, archive));
  }

  /** Takes a listener: `channels`, `since` and `access` (JSON) are in the query. The router is the only one who can send this. */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const [channels, since] = [searchParams.getAll("channel"), Number(searchParams.get("since") ?? 0)];
    const access = parseJsonObject(searchParams.get("access") ?? "");
    return this.#thread.listen({ channels, since, access });
  }

  /** A listener says how much has come, in characters. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    if (this.#thread instanceof UnusableThread) return;
    this.#thread.feed.acknowledge(socket, Number(message) || 0);
  }

  override alarm(): Promise<void> {
    return this.#thread.alarm();
  }
}
