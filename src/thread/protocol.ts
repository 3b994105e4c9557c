/**
 * What the router and a thread object say to each other. Requests cross as plain data; expected outcomes come back as
 * values, because classes of errors do not survive the way. What may be large comes back as bytes of JSON text.
 */

import type { JsonObject } from "../directory/protocol.ts";
import type { WireError } from "../errors.ts";
import type { RunLimits } from "../pregel/limits.ts";
import type { CronsApi } from "./crons/cron-protocol.ts";
import type {
  CancelRun,
  ListGraphs,
  ListRuns,
  MultitaskStrategy,
  NamedRun,
  AcceptedRun,
  ToldRun,
} from "./runs/run-protocol.ts";

/** Names the thread; the object keeps both in its own row. */
export interface ThreadAddress {
  readonly tenant: string;
  readonly threadId: string;
  /** What its metadata has to contain: for the caller there is no thread without that. */
  readonly access?: JsonObject | undefined;
}

export type RequestedInput =
  | { readonly kind: "continue" }
  | {
      readonly kind: "input";
      readonly value: unknown;
      /** On a thread that asks something it is the answer. */
      readonly mayAnswer?: boolean;
      /** Its sender has said what it does to a run under way, and so knows of that: while one goes on it is no answer. */
      readonly isFollowing?: boolean;
    }
  /** Answers by interrupt id. */
  | { readonly kind: "answers"; readonly answers: readonly (readonly [id: string, value: unknown])[] }
  | ({ readonly kind: "command" } & RequestedCommand);

export interface RequestedCommand {
  /** The answer to the one question there is. */
  readonly resume?: unknown;
  /** By channel, or pairs of a channel and a value. */
  readonly update?: Readonly<Record<string, unknown>> | readonly (readonly [string, unknown])[];
  readonly goto: readonly RequestedGoto[];
}

/** A node, or a node with an input of its own. */
export type RequestedGoto = string | { readonly node: string; readonly input: unknown };

export interface RequestedConfig {
  readonly recursionLimit?: number;
  readonly configurable?: Readonly<Record<string, unknown>>;
  /** Of a cron: which of its keys say who starts its runs. */
  readonly callerKeys?: readonly string[];
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export type StreamedMode =
  | "values"
  | "updates"
  | "custom"
  | "messages"
  | "tasks"
  | "checkpoints"
  | "debug"
  | "tools";

/** What LangGraph's platform calls the modes. */
export type LangGraphMode = StreamedMode | "messages-tuple" | "events" | "lifecycle";

/** Says that a request is the same as an earlier one. */
export interface Idempotency {
  /** Keys are their caller's own. */
  readonly caller: string;
  readonly key: string;
  /** Of the request, so that the key is not used for two. */
  readonly hash: string;
}

/** All that a run is started with. */
export interface RunRequest {
  /** Absent: the thread's own, or the only one there is. */
  readonly graph?: string;
  /** What the caller has named: the id of an assistant, or a graph. */
  readonly assistant?: string;
  readonly input: RequestedInput;
  readonly config: RequestedConfig;
  readonly context?: unknown;
  readonly checkpointId?: string;
  /** The run is refused when the thread's newest checkpoint is another one when its turn comes. */
  readonly ifMatch?: string;
  /** Who gives the answers, for the record. */
  readonly answeredBy?: string;
  /** For whom, where that is another. */
  readonly onBehalfOf?: string;
  readonly onInterrupted: "refuse" | "discard";
  /** Absent: it waits for the runs before it. */
  readonly multitask?: MultitaskStrategy;
  /** How long the run waits before it enters the queue, in milliseconds. */
  readonly delay?: number;
  /** How long the run may take, in milliseconds. */
  readonly timeLimit?: number;
  /** Nodes at which the run stops, to be continued with no input. */
  readonly interruptBefore?: "*" | readonly string[];
  readonly interruptAfter?: "*" | readonly string[];
  /** How far the run may go before it pauses. */
  readonly limits?: RunLimits;
  /** What listeners may want to hear of. */
  readonly modes: readonly StreamedMode[];
  /** The same as LangGraph's platform says it, when the run was started in its words: then its events are told in them. */
  readonly langGraphModes?: readonly LangGraphMode[];
  /** Whether they want to hear of graphs inside nodes too. */
  readonly subgraphs?: boolean;
  /** Listeners to the thread hear all there is, in the words of LangGraph's protocol of threads. */
  readonly isForProtocol?: boolean;
  /** Where it is told how the run came out; the graph's own, if it has one, when it is absent. */
  readonly webhook?: string;
  /** The trace that the run is a part of: the header of the request that has started it. */
  readonly traceparent?: string;
  /** What a thread says of itself that is made for the run. */
  readonly threadMetadata?: JsonObject;
}

export interface ListDeliveries extends ThreadAddress {
  readonly limit: number;
}

/** The question that a link answers. */
export interface HookAddress extends ThreadAddress {
  readonly checkpointId: string;
  readonly interruptId: string;
  readonly nonce: string;
}

/** Reads the events of a run that was started before. */
export interface ReadEvents extends ThreadAddress {
  readonly runId: string;
  /** The id of the last event that the reader has had; absent: all of them are wanted. */
  readonly after?: string | undefined;
  /** Only events of these modes; absent: all that the run was started with. */
  readonly modes?: readonly LangGraphMode[] | undefined;
}

/** The events of a run as server-sent events, each with its id. */
export interface RunEvents {
  readonly runId: string;
  readonly events: ByteStream;
  /** To be disposed of when nobody reads on: a stream tells that to its other end only when something more is written. */
  readonly reader: Disposable;
}

/** Starting is idempotent on the run id: the router mints it, and asks again after a reset. */
export interface StartRun extends ThreadAddress {
  readonly runId: string;
  readonly request: RunRequest;
  readonly idempotency?: Idempotency;
  /** Refuses to make a new thread. */
  readonly mustExist?: boolean;
  /** Its caller waits for its end. */
  readonly isAwaited?: boolean;
  /** The caller is told the id before the run has ended: the run is there to be read, whatever becomes of it. */
  readonly isAcknowledged?: boolean;
  /** The thread is made for this run, and goes some time after it. */
  readonly isTemporary?: boolean;
  /** The run that has paused where this one goes on: it tells whom that one tells, unless it brings a webhook. */
  readonly continues?: string;
}

/** A call that starts a run, or that has done so when it came before. */
export type StartedBy = Pick<StartRun, "runId" | "idempotency">;

/** Absent: the newest state of the thread's own graph. */
export interface StatePlace {
  readonly checkpointId?: string;
  /** Of a graph inside a node. */
  readonly namespace?: string;
}

export interface ReadState extends ThreadAddress, StatePlace {
  /** Only these parts of it; `values.<key>` is one of its values. */
  readonly select?: readonly string[];
  /** With the states of the graphs inside the tasks. */
  readonly subgraphs: boolean;
}

/** With a checkpoint: that one only. */
export interface ReadHistory extends ThreadAddress, StatePlace {
  /** What their metadata has. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** As of a state. */
  readonly select?: readonly string[];
  readonly limit: number;
  /** Only states older than this checkpoint. */
  readonly before?: string;
}

export interface EditState extends ThreadAddress, StatePlace {
  /** Makes the edit idempotent: it is the `run_id` of the checkpoint that it writes. */
  readonly editId: string;
  /** The reply to an earlier call with this id was lost: it may have been applied. */
  readonly isRepeated?: boolean;
  readonly values: unknown;
  readonly asNode?: string;
  /** As of a run. */
  readonly ifMatch?: string;
  readonly idempotency?: Idempotency;
}

/** What a node is said to have returned. */
export interface RequestedUpdate {
  readonly values?: unknown;
  /** In place of values. */
  readonly command?: RequestedCommand;
  readonly asNode?: string;
}

/** Updates that were made at once. */
export interface RequestedStep {
  readonly updates: readonly RequestedUpdate[];
}

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

export interface PatchThread extends ThreadAddress {
  readonly metadata: JsonObject;
  /** As of a new thread; absent: it stays as it is. */
  readonly ttl?: number;
}

export interface ImportThread extends ThreadAddress {
  /** Takes the place of what the archive says under these keys. */
  readonly metadata?: JsonObject | undefined;
  /** The key of the call. What else the call is says the archive, of which the thread makes the hash. */
  readonly idempotency?: Idempotency;
}

export interface SendEvent extends ThreadAddress {
  /** Makes sending idempotent: the router mints it. */
  readonly eventId: string;
  readonly key: string;
  readonly payload: unknown;
  /** The same for the same event, however often its sender sends it. */
  readonly delivery?: string;
  readonly idempotency?: Idempotency;
}

/** What became of an event: a run has got it, or it is kept for the first who waits for it. */
export type EventReceipt =
  | { readonly event_id: string; readonly status: "delivered"; readonly run_id: string }
  | { readonly event_id: string; readonly status: "kept" };

export interface PruneThread extends ThreadAddress {
  readonly keepLast: number;
  /** Milliseconds since 1970; absent: whatever their age. */
  readonly olderThan?: number;
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
}

/** A refused call has changed nothing; `isFailed` says that the run was accepted, and failed. */
export type Reply<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: WireError; readonly isFailed: boolean };

/** An event stream, or an archive. */
export type ByteStream = ReadableStream<Uint8Array>;

/** JSON text, which is a stream where it is long. */
export type Bytes = Uint8Array<ArrayBuffer> | ByteStream;

/** The methods of a thread object for links and webhooks. */
export interface HooksApi {
  /** Answers with the question as JSON text. */
  readHook(hook: HookAddress): Promise<Reply<Bytes>>;
  /** Answers as soon as the answer is taken. Repeated with the same run id it is the same answer. */
  answerHook(
    hook: HookAddress,
    runId: string,
    value: unknown,
    idempotency?: Idempotency,
  ): Promise<Reply<null>>;
  listDeliveries(list: ListDeliveries): Promise<Reply<Bytes>>;
}

export interface KeyedCall extends ThreadAddress {
  readonly idempotency: Idempotency;
  /** Names this call among others under the key. */
  readonly claim: string;
}

/** The methods of a thread object for calls of which nothing else tells what they came to. */
export interface KeysApi {
  /**
   * Takes the key for a call that is to be made now, for half a minute: null. When the same call was made before, it is to be
   * answered by what is given. While another one has the key, `idempotency_key_in_use`.
   */
  claimKey(call: KeyedCall): Promise<Reply<string | null>>;
  /** Keeps what the call came to, of several the first; with null the key is free again. */
  settleKey(call: KeyedCall, answer: string | null): Promise<Reply<null>>;
}

/** The methods of a thread object for runs by their ids. */
export interface RunsApi {
  /** As `invoke`; answers with the run as soon as it is taken in. */
  startRun(start: StartRun): Promise<Reply<ToldRun>>;
  /** As `startRun`, for who waits for its values. */
  acceptRun(start: StartRun): Promise<Reply<AcceptedRun>>;
  getRun(run: NamedRun): Promise<Reply<ToldRun>>;
  listRuns(list: ListRuns): Promise<Reply<Bytes>>;
  /** The namespaces of the graphs inside nodes that a run was the last to write to. */
  listGraphs(list: ListGraphs): Promise<Reply<readonly string[]>>;
  /** Answers when the run has ended: with its values alone, and what it asks as `__interrupt__` among them. */
  joinRun(run: NamedRun): Promise<Reply<Bytes>>;
  /** Ends the run, and answers with it; one that has ended stays as it is. */
  cancelRun(cancel: CancelRun): Promise<Reply<ToldRun>>;
  /** Removes a run that has ended; its checkpoints stay. */
  deleteRun(run: NamedRun): Promise<Reply<null>>;
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
  /** Tells the directory what the thread is; false when there is none. The object knows its own address. */
  announceThread(): Promise<Reply<boolean>>;
  pruneThread(prune: PruneThread): Promise<Reply<null>>;
  /** Answers with the bytes of an archive, which break off when the thread is written meanwhile. */
  exportThread(address: ThreadAddress): Promise<Reply<ByteStream>>;
  /** Makes the thread of an archive. */
  importThread(target: ImportThread, archive: ByteStream): Promise<Reply<ImportedThread>>;
}

/** The methods of a thread object. */
export interface ThreadApi extends RunsApi, HooksApi, KeysApi, CronsApi, LifeCycleApi {
  /** Starts a run, or attaches to it, and answers when it has ended. */
  invoke(start: StartRun): Promise<Reply<Bytes>>;
  /** As `invoke`; answers at once with the events of the run. `after`: the id of the last one that the caller has had. */
  stream(start: StartRun, after?: string): Promise<Reply<RunEvents>>;
  /** The same events for whoever else wants them, while the run goes on or when it has ended. */
  readEvents(read: ReadEvents): Promise<Reply<RunEvents>>;
  getState(read: ReadState): Promise<Reply<Bytes>>;
  getHistory(read: ReadHistory): Promise<Reply<Bytes>>;
  updateState(edit: EditState): Promise<Reply<Bytes>>;
  /** Gives an event to who waits for it, or keeps it. */
  sendEvent(event: SendEvent): Promise<Reply<EventReceipt>>;
}
