import { compareCodePoints } from "../checkpoint/ordering.ts";
import type { Outcome } from "./outcome.ts";
import type {
  AskedQuestion,
  Assistant,
  AssistantFilter,
  AssistantOrder,
  AssistantPatch,
  AssistantView,
  DirectoryApi,
  Expectation,
  NewAssistant,
  QuestionsPage,
  StoreRead,
  StoreWrite,
  ThreadEntry,
  ThreadFilter,
  ThreadOrder,
  ThreadPlace,
  JsonObject,
} from "./protocol.ts";
import { TenantStore } from "./tenant-store.ts";

/** Calls one of the objects among which a tenant's threads are divided. */
export type CallShard = <Value>(call: (shard: DirectoryApi) => Promise<Value>) => Promise<Value>;

/** What is known across all threads of a tenant. Each thread is known to one object; what is asked of all is merged. */
export class TenantDirectory implements DirectoryApi {
  readonly #shards: readonly CallShard[];
  readonly #store: TenantStore;

  constructor(shards: readonly CallShard[]) {
    this.#shards = shards;
    this.#store = new TenantStore(
      (label, call) => this.#shardOf(label)(call),
      (call) => this.#all(call),
    );
  }

  putThread(entry: ThreadEntry, expectation?: Expectation): Promise<boolean> {
    return this.#shardOf(entry.threadId)((shard) => shard.putThread(entry, expectation));
  }

  async removeThread(threadId: string): Promise<void> {
    await this.#shardOf(threadId)((shard) => shard.removeThread(threadId));
  }

  knowsThread(threadId: string, version: number): Promise<boolean> {
    return this.#shardOf(threadId)((shard) => shard.knowsThread(threadId, version));
  }

  async beginErasure(limit: number): Promise<readonly string[]> {
    const each = Math.ceil(limit / this.#shards.length);
    return (await this.#all((shard) => shard.beginErasure(each))).flat();
  }

  endErasure(threadId: string): Promise<void> {
    return this.#shardOf(threadId)((shard) => shard.endErasure(threadId));
  }

  async threadsLeft(): Promise<number> {
    return sum(await this.#all((shard) => shard.threadsLeft()));
  }

  async erase(): Promise<number> {
    const left = await this.threadsLeft();
    return left > 0 ? left : sum(await this.#all((shard) => shard.erase()));
  }

  async findThreads(
    filter: ThreadFilter,
    order: ThreadOrder,
    count: number,
  ): Promise<readonly ThreadPlace[]> {
    // Threads are spread evenly: a little more than its share is, as a rule, enough of each object.
    const share = Math.ceil(count / this.#shards.length + 4 * Math.sqrt(count));
    const found = await this.#firstOfAll(filter, order, Math.min(share, count));
    if (share >= count || found.isSettled(count)) return found.places.slice(0, count);
    return (await this.#firstOfAll(filter, order, count)).places.slice(0, count);
  }

  async #firstOfAll(filter: ThreadFilter, order: ThreadOrder, each: number) {
    const lists = await this.#all((shard) => shard.findThreads(filter, order, each));
    const sign = order.descending ? -1 : 1;
    const compared = (a: ThreadPlace, b: ThreadPlace): number => sign * comparePlaces(a, b);
    const places = lists.flat().toSorted(compared);
    /** Whether no object has more that would come before the last of so many. */
    const isSettled = (count: number): boolean => {
      const last = places[count - 1];
      const ends = lists.flatMap((list) => (list.length < each ? [] : list.slice(-1)));
      return ends.every((end) => last !== undefined && compared(last, end) <= 0);
    };
    return { places, isSettled };
  }

  async getThreads(threadIds: readonly string[]): Promise<readonly ThreadEntry[]> {
    const groups = Map.groupBy(threadIds, (threadId) => this.#shardOf(threadId));
    const found = await Promise.all(
      Array.from(groups, ([callShard, ids]) => callShard((shard) => shard.getThreads(ids))),
    );
    const entries = new Map(found.flat().map((entry) => [entry.threadId, entry]));
    return threadIds.flatMap((threadId) => entries.get(threadId) ?? []);
  }

  async countThreads(filter: ThreadFilter): Promise<number> {
    return sum(await this.#all((shard) => shard.countThreads(filter)));
  }

  async getQuestions(page: QuestionsPage): Promise<readonly AskedQuestion[]> {
    const found = await this.#all((shard) => shard.getQuestions(page));
    return found.flat().toSorted(compareQuestions).slice(0, page.limit);
  }

  getAssistant(id: string, view: AssistantView): Promise<Outcome<Assistant>> {
    return this.#first((shard) => shard.getAssistant(id, view));
  }

  createAssistant(assistant: NewAssistant, view: AssistantView): Promise<Outcome<Assistant>> {
    return this.#first((shard) => shard.createAssistant(assistant, view));
  }

  patchAssistant(id: string, patch: AssistantPatch, view: AssistantView): Promise<Outcome<Assistant>> {
    return this.#first((shard) => shard.patchAssistant(id, patch, view));
  }

  removeAssistant(id: string, view: AssistantView): Promise<Outcome<null>> {
    return this.#first((shard) => shard.removeAssistant(id, view));
  }

  searchAssistants(
    filter: AssistantFilter,
    order: AssistantOrder,
    view: AssistantView,
  ): Promise<readonly Assistant[]> {
    return this.#first((shard) => shard.searchAssistants(filter, order, view));
  }

  getAssistantVersions(
    id: string,
    view: AssistantView,
    metadata: JsonObject,
  ): Promise<Outcome<readonly Assistant[]>> {
    return this.#first((shard) => shard.getAssistantVersions(id, view, metadata));
  }

  setLatestAssistant(id: string, version: number, view: AssistantView): Promise<Outcome<Assistant>> {
    return this.#first((shard) => shard.setLatestAssistant(id, version, view));
  }

  useStore(reads: readonly StoreRead[], writes: readonly StoreWrite[]): Promise<Outcome<readonly unknown[]>> {
    return this.#store.useStore(reads, writes);
  }

  /** What is one for the whole tenant is in the first object. */
  #first<Value>(call: (shard: DirectoryApi) => Promise<Value>): Promise<Value> {
    return this.#shardAt(0)(call);
  }

  #all<Value>(call: (shard: DirectoryApi) => Promise<Value>): Promise<Value[]> {
    return Promise.all(this.#shards.map((callShard) => callShard(call)));
  }

  #shardOf(name: string): CallShard {
    return this.#shardAt(hashOf(name) % this.#shards.length);
  }

  #shardAt(index: number): CallShard {
    const shard = this.#shards[index];
    if (shard === undefined) throw new RangeError("A directory has one object at least.");
    return shard;
  }
}

/** It says where a thread is known, and where items are: it must never change. (FNV-1a over UTF-16 code units.) */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function comparePlaces(a: ThreadPlace, b: ThreadPlace): number {
  return compare(a.key, b.key) || compareCodePoints(a.threadId, b.threadId);
}

function compareQuestions(a: AskedQuestion, b: AskedQuestion): number {
  return (
    a.askedAt - b.askedAt ||
    compareCodePoints(a.threadId, b.threadId) ||
    compareCodePoints(a.interruptId, b.interruptId)
  );
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareCodePoints(String(a), String(b));
}
