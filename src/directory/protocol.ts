/**
 * What threads and the router say to a directory object. One object knows a part of a tenant's threads: which one, their
 * ids say.
 */

import type { Encoded } from "../checkpoint/encoding.ts";
import type {
  GetOperation,
  ListNamespacesOperation,
  SearchOperation,
} from "../checkpoint/store/base-store.ts";
import type { Json } from "../json.ts";
import type { Outcome } from "./outcome.ts";

export type JsonObject = { readonly [key: string]: Json };

/** In the words of LangGraph's platform. */
export type ThreadStatus = "idle" | "busy" | "interrupted" | "error";

/** A question that a thread waits for an answer to. */
export interface PendingQuestion {
  readonly interruptId: string;
  /** Cut off when it is long; null where values are encrypted. */
  readonly value: Json;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

/** What a thread says of itself. Times are milliseconds since 1970. */
export interface ThreadEntry {
  readonly threadId: string;
  /** Grows with each change of the thread: of two entries the one with the higher version is right. */
  readonly version: number;
  readonly status: ThreadStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly stateUpdatedAt: number;
  readonly metadata: JsonObject;
  /** What is at the configured paths of its values; nothing where they are encrypted. */
  readonly extract: JsonObject;
  readonly questions: readonly PendingQuestion[];
}

/** That a thread has more to tell: the object with the id is asked for it when it is not heard of within that time, in milliseconds. */
export interface Expectation {
  readonly within: number;
  readonly objectId: string;
}

/** What threads are wanted. A thread is one when all of it is true of it. */
export interface ThreadFilter {
  readonly ids?: readonly string[];
  readonly status?: ThreadStatus;
  /** A part of their metadata: objects recursively, of lists some elements. */
  readonly metadata?: JsonObject;
  /** As `metadata`, of their extract. */
  readonly extract?: JsonObject;
  /** As `metadata`: whom who asks may know of. */
  readonly access?: JsonObject;
}

export type SortKey = "thread_id" | "status" | "created_at" | "updated_at" | "state_updated_at";

export interface ThreadOrder {
  readonly by: SortKey;
  readonly descending: boolean;
}

/** Where a thread stands in an order: pages of several objects are merged by it. */
export interface ThreadPlace {
  readonly threadId: string;
  readonly key: string | number;
}

export interface QuestionsPage {
  readonly limit: number;
  /** Only those of threads that a filter with it finds. */
  readonly access?: JsonObject;
  /** Only what comes after it. */
  readonly after?: QuestionPlace;
}

export interface QuestionPlace {
  readonly askedAt: number;
  readonly threadId: string;
  readonly interruptId: string;
}

export interface AskedQuestion extends PendingQuestion {
  readonly threadId: string;
}

/** A graph with a configuration. Times are milliseconds since 1970. */
export interface Assistant {
  readonly assistantId: string;
  readonly graphId: string;
  readonly config: JsonObject;
  readonly context: JsonObject;
  readonly metadata: JsonObject;
  readonly name: string;
  readonly description: string | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewAssistant extends Omit<Assistant, "version" | "createdAt" | "updatedAt"> {
  readonly ifExists: "raise" | "do_nothing";
}

export type AssistantPatch = Partial<
  Pick<Assistant, "graphId" | "config" | "context" | "metadata" | "name" | "description">
>;

export interface AssistantFilter {
  readonly graphId?: string;
  /** A part of it, in whatever case. */
  readonly name?: string;
  readonly metadata?: JsonObject;
}

export interface AssistantOrder {
  readonly by: "assistantId" | "graphId" | "name" | "createdAt" | "updatedAt";
  readonly descending: boolean;
}

/** From where assistants are seen. */
export interface AssistantView {
  /** Of the deployment: each has an assistant by itself. */
  readonly graphs: readonly string[];
  /** What their metadata has to contain: there are no others. */
  readonly access?: JsonObject | undefined;
  /** Those that graphs have by themselves are there, too, whatever their metadata has. */
  readonly ownOfGraphs?: boolean;
}

/** What a directory object does about assistants. */
export interface AssistantsApi {
  getAssistant(id: string, view: AssistantView): Promise<Outcome<Assistant>>;
  createAssistant(assistant: NewAssistant, view: AssistantView): Promise<Outcome<Assistant>>;
  patchAssistant(id: string, patch: AssistantPatch, view: AssistantView): Promise<Outcome<Assistant>>;
  removeAssistant(id: string, view: AssistantView): Promise<Outcome<null>>;
  searchAssistants(
    filter: AssistantFilter,
    order: AssistantOrder,
    view: AssistantView,
  ): Promise<readonly Assistant[]>;
  /** Those whose metadata has this part, the newest first. */
  getAssistantVersions(
    id: string,
    view: AssistantView,
    metadata: JsonObject,
  ): Promise<Outcome<readonly Assistant[]>>;
  setLatestAssistant(id: string, version: number, view: AssistantView): Promise<Outcome<Assistant>>;
}

/** An item of the store, its value as the serializer has written it. Times are milliseconds since 1970. */
export interface StoredItem {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly value: Encoded;
  /** Of a search by meaning. */
  readonly score?: number | undefined;
}

export type StoreSearch = Omit<SearchOperation, "query"> & {
  /** What the query means: the nearest items come first. */
  readonly vector?: readonly number[] | undefined;
};

export type StoreRead =
  | ({ readonly kind: "get" } & GetOperation)
  | ({ readonly kind: "search" } & StoreSearch)
  | ({ readonly kind: "namespaces" } & ListNamespacesOperation);

export interface StoreWrite {
  readonly namespace: readonly string[];
  readonly key: string;
  /** Null deletes. */
  readonly value: Encoded | null;
  /** In milliseconds. */
  readonly ttl?: number | undefined;
  /** What its texts mean. */
  readonly vectors?: readonly (readonly number[])[];
}

/** What a directory object does about the store. */
export interface StoreApi {
  /** In the order of the operations: an item or undefined, items, namespaces. They see what was there before the writes. */
  useStore(reads: readonly StoreRead[], writes: readonly StoreWrite[]): Promise<Outcome<readonly unknown[]>>;
}

/** What a directory object does about all that a tenant has. */
export interface ErasureApi {
  /** Threads that are to be deleted next, noted until they are gone: as many in all objects as `limit`, or a few more. */
  beginErasure(limit: number): Promise<readonly string[]>;
  /** The thread is gone, or was never there. */
  endErasure(threadId: string): Promise<void>;
  /** How many threads there are, or are still going. */
  threadsLeft(): Promise<number>;
  /** Removes all that there is, assistants and the store too, when there are no threads; else says how many are left. */
  erase(): Promise<number>;
}

/** The methods of a directory object. */
export interface DirectoryApi extends AssistantsApi, StoreApi, ErasureApi {
  /** Keeps the newest entry of the thread; idempotent. Answers whether the object asks for more. */
  putThread(entry: ThreadEntry, expectation?: Expectation): Promise<boolean>;
  removeThread(threadId: string): Promise<void>;
  /** Whether what is known of the thread is of this version, or newer. */
  knowsThread(threadId: string, version: number): Promise<boolean>;
  /** The first `count` threads of the order. */
  findThreads(filter: ThreadFilter, order: ThreadOrder, count: number): Promise<readonly ThreadPlace[]>;
  /** The entries of these threads, those that are there. */
  getThreads(threadIds: readonly string[]): Promise<readonly ThreadEntry[]>;
  countThreads(filter: ThreadFilter): Promise<number>;
  /** The questions that were asked first. */
  getQuestions(page: QuestionsPage): Promise<readonly AskedQuestion[]>;
}
