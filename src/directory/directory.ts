import { DurableObject } from "cloudflare:workers";
import { LATEST_ALARM } from "../latest-alarm.ts";
import { GroupCommit } from "../storage/group-commit.ts";
import { migrate, schemaVersion } from "../storage/migrations.ts";
import { Sql } from "../storage/sql.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { Assistants } from "./assistants.ts";
import { Erasures } from "./erasures.ts";
import { type Asking, type ExpectedThread, ExpectedThreads } from "./expected-threads.ts";
import { Items } from "./items.ts";
import { directoryMigrations } from "./migrations.ts";
import { type Outcome, outcomeOf, outcomeOfAsync } from "./outcome.ts";
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
import { ThreadIndex } from "./thread-index.ts";
import { ThreadSearch } from "./thread-search.ts";

export interface DirectoryOptions extends Asking {
  /** Reads what the store holds. */
  readonly serde: SerializerProtocol;
  readonly now: () => number;
  /** Lets other calls in. */
  readonly yieldTurn: () => Promise<void>;
}

/**
 * The object of a part of what is known across a tenant's threads: its methods are the RPC interface. Nothing is stored before
 * the first thread is.
 */
export abstract class Directory extends DurableObject implements DirectoryApi {
  readonly #storage: DurableObjectStorage;
  readonly #threads: ThreadIndex;
  readonly #search: ThreadSearch;
  readonly #assistants: Assistants;
  readonly #items: Items;
  readonly #erasures: Erasures;
  readonly #expected: ExpectedThreads;
  readonly #now: () => number;
  readonly #group: GroupCommit;
  #hasTables = false;
  /** What the alarm is set for at the latest, as far as this instance knows. */
  #armed = Infinity;

  constructor(ctx: DurableObjectState, env: unknown, { serde, now, yieldTurn, ...asking }: DirectoryOptions) {
    // The class is bound to no one's bindings.
    super(ctx, env as Cloudflare.Env);
    const { storage } = ctx;
    const sql = new Sql(storage.sql);
    this.#storage = storage;
    this.#threads = new ThreadIndex(sql);
    this.#search = new ThreadSearch(sql);
    this.#assistants = new Assistants(sql, now);
    this.#items = new Items(sql, serde);
    this.#erasures = new Erasures(sql);
    this.#expected = new ExpectedThreads(sql, asking);
    this.#now = now;
    this.#group = new GroupCommit(yieldTurn);
  }

  async putThread(entry: ThreadEntry, expectation?: Expectation): Promise<boolean> {
    await this.#group.join();
    this.#prepare();
    const expected = expectation && { by: this.#now() + expectation.within, objectId: expectation.objectId };
    this.#storage.transactionSync(() => this.#threads.put(entry, expected));
    if (expected !== undefined && expected.by < this.#armed) await this.#arm();
    return expected !== undefined;
  }

  async removeThread(threadId: string): Promise<void> {
    await this.#group.join();
    if (this.#isEmpty()) return;
    this.#storage.transactionSync(() => this.#threads.remove(threadId));
  }

  async knowsThread(threadId: string, version: number): Promise<boolean> {
    return !this.#isEmpty() && (this.#threads.versionOf(threadId) ?? -1) >= version;
  }

  async beginErasure(limit: number): Promise<readonly string[]> {
    return this.#isEmpty() ? [] : this.#storage.transactionSync(() => this.#erasures.begin(limit));
  }

  async endErasure(threadId: string): Promise<void> {
    await this.#group.join();
    if (this.#isEmpty()) return;
    this.#storage.transactionSync(() => {
      this.#threads.remove(threadId);
      this.#erasures.end(threadId);
    });
  }

  async threadsLeft(): Promise<number> {
    return this.#isEmpty() ? 0 : this.#erasures.left();
  }

  async erase(): Promise<number> {
    const left = await this.threadsLeft();
    if (left > 0 || this.#isEmpty()) return left;
    this.#hasTables = false;
    this.#armed = Infinity;
    await this.#storage.deleteAlarm();
    await this.#storage.deleteAll();
    return 0;
  }

  async findThreads(
    filter: ThreadFilter,
    order: ThreadOrder,
    count: number,
  ): Promise<readonly ThreadPlace[]> {
    const unmade = await this.#unmade(filter);
    if (this.#isEmpty()) return [];
    const left = unmade();
    const found = this.#search.find(filter, order, count + left.size);
    return found.filter(({ threadId }) => !left.has(threadId)).slice(0, count);
  }

  async getThreads(threadIds: readonly string[]): Promise<readonly ThreadEntry[]> {
    return this.#isEmpty() ? [] : this.#threads.get(threadIds);
  }

  async countThreads(filter: ThreadFilter): Promise<number> {
    const unmade = await this.#unmade(filter);
    return this.#isEmpty() ? 0 : this.#search.count(filter) - unmade().size;
  }

  async getQuestions(page: QuestionsPage): Promise<readonly AskedQuestion[]> {
    return this.#isEmpty() ? [] : this.#threads.questions(page);
  }

  async getAssistant(id: string, view: AssistantView): Promise<Outcome<Assistant>> {
    return this.#transact(() => this.#assistants.get(id, view));
  }

  async createAssistant(assistant: NewAssistant, view: AssistantView): Promise<Outcome<Assistant>> {
    return this.#transact(() => this.#assistants.create(assistant, view));
  }

  async patchAssistant(id: string, patch: AssistantPatch, view: AssistantView): Promise<Outcome<Assistant>> {
    return this.#transact(() => this.#assistants.patch(id, patch, view));
  }

  async removeAssistant(id: string, view: AssistantView): Promise<Outcome<null>> {
    return this.#transact(() => {
      this.#assistants.remove(id, view);
      return null;
    });
  }

  async searchAssistants(
    filter: AssistantFilter,
    order: AssistantOrder,
    view: AssistantView,
  ): Promise<readonly Assistant[]> {
    this.#prepare();
    return this.#assistants.search(filter, order, view);
  }

  async getAssistantVersions(
    id: string,
    view: AssistantView,
    metadata: JsonObject,
  ): Promise<Outcome<readonly Assistant[]>> {
    return this.#transact(() => this.#assistants.versions(id, view, metadata));
  }

  async setLatestAssistant(id: string, version: number, view: AssistantView): Promise<Outcome<Assistant>> {
    return this.#transact(() => this.#assistants.setLatest(id, version, view));
  }

  async useStore(
    reads: readonly StoreRead[],
    writes: readonly StoreWrite[],
  ): Promise<Outcome<readonly unknown[]>> {
    this.#prepare();
    return outcomeOfAsync(async () => {
      const now = this.#now();
      const results: unknown[] = [];
      for (const read of reads) results.push(await this.#items.read(read, now));
      this.#storage.transactionSync(() => {
        for (const write of writes) this.#items.write(write, now);
      });
      if (writes.some(({ ttl }) => ttl !== undefined)) await this.#arm();
      return results;
    });
  }

  /** Items that have expired nobody sees any more: now they go. And threads that were to tell more are asked. */
  override async alarm(): Promise<void> {
    this.#armed = Infinity;
    if (this.#isEmpty()) return;
    const asked = this.#storage.transactionSync(() => {
      this.#items.expire(this.#now());
      return this.#expected.putOff(this.#now());
    });
    await this.#arm();
    await Promise.all(asked.map((thread) => this.#ask(thread)));
  }

  /**
   * Those that would be found though there is only a draft of them, and their objects have no thread. They may be about to make it. What is
   * returned is called in the turn in which others are found: since they were asked, some may have told something, or been forgotten.
   */
  async #unmade(filter: ThreadFilter): Promise<() => ReadonlySet<string>> {
    const drafts = () => (this.#isEmpty() ? [] : this.#search.drafts(filter));
    const unmade = new Set<string>();
    const asking = drafts().map(async (draft) => {
      if (await this.#expected.isUnmade(draft, "hasThread")) unmade.add(draft.thread_id);
    });
    await Promise.all(asking);
    return () =>
      new Set(
        drafts()
          .map(({ thread_id: id }) => id)
          .filter((id) => unmade.has(id)),
      );
  }

  async #ask(thread: ExpectedThread): Promise<void> {
    if (!(await this.#expected.isUnmade(thread)) || this.#isEmpty()) return;
    this.#storage.transactionSync(() => {
      // One that was made meanwhile is expected at another time, or has told something.
      if (this.#expected.has(thread)) this.#threads.remove(thread.thread_id);
    });
  }

  /** Sets the one alarm for whatever is due next. One that comes early finds nothing due. */
  async #arm(): Promise<void> {
    const due = Math.min(this.#items.nextExpiry() ?? Infinity, this.#expected.next() ?? Infinity);
    if (due === Infinity) return;
    this.#armed = Math.min(Math.max(due, this.#now()), LATEST_ALARM);
    await this.#storage.setAlarm(this.#armed);
  }

  #transact<Value>(work: () => Value): Outcome<Value> {
    this.#prepare();
    return outcomeOf(() => this.#storage.transactionSync(work));
  }

  #isEmpty(): boolean {
    if (this.#hasTables) return false;
    if (schemaVersion(this.#storage.sql) === 0) return true;
    this.#prepare();
    return false;
  }

  #prepare(): void {
    if (this.#hasTables) return;
    migrate(this.#storage, directoryMigrations);
    this.#hasTables = true;
  }
}
