import { migrate, schemaVersion } from "../storage/migrations.ts";
import { Sql } from "../storage/sql.ts";
import { Assistants } from "./assistants.ts";
import { directoryMigrations } from "./migrations.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import type {
  AskedQuestion,
  Assistant,
  AssistantFilter,
  AssistantOrder,
  AssistantPatch,
  DirectoryApi,
  NewAssistant,
  QuestionsPage,
  ThreadEntry,
  ThreadFilter,
  ThreadOrder,
  ThreadPlace,
} from "./protocol.ts";
import { ThreadIndex } from "./thread-index.ts";
import { ThreadSearch } from "./thread-search.ts";

/** A part of what is known across a tenant's threads. Nothing is stored before the first thread is. */
export class Directory implements DirectoryApi {
  readonly #storage: DurableObjectStorage;
  readonly #threads: ThreadIndex;
  readonly #search: ThreadSearch;
  readonly #assistants: Assistants;
  #hasTables = false;

  constructor(storage: DurableObjectStorage, now: () => number) {
    const sql = new Sql(storage.sql);
    this.#storage = storage;
    this.#threads = new ThreadIndex(sql);
    this.#search = new ThreadSearch(sql);
    this.#assistants = new Assistants(sql, now);
  }

  async putThread(entry: ThreadEntry): Promise<void> {
    this.#prepare();
    this.#storage.transactionSync(() => this.#threads.put(entry));
  }

  async removeThread(threadId: string): Promise<void> {
    if (this.#isEmpty()) return;
    this.#storage.transactionSync(() => this.#threads.remove(threadId));
  }

  async findThreads(
    filter: ThreadFilter,
    order: ThreadOrder,
    count: number,
  ): Promise<readonly ThreadPlace[]> {
    return this.#isEmpty() ? [] : this.#search.find(filter, order, count);
  }

  async getThreads(threadIds: readonly string[]): Promise<readonly ThreadEntry[]> {
    return this.#isEmpty() ? [] : this.#threads.get(threadIds);
  }

  async countThreads(filter: ThreadFilter): Promise<number> {
    return this.#isEmpty() ? 0 : this.#search.count(filter);
  }

  async getQuestions(page: QuestionsPage): Promise<readonly AskedQuestion[]> {
    return this.#isEmpty() ? [] : this.#threads.questions(page);
  }

  async getAssistant(id: string, graphs: readonly string[]): Promise<Outcome<Assistant>> {
    return this.#transact(() => this.#assistants.get(id, graphs));
  }

  async createAssistant(assistant: NewAssistant, graphs: readonly string[]): Promise<Outcome<Assistant>> {
    return this.#transact(() => this.#assistants.create(assistant, graphs));
  }

  async patchAssistant(
    id: string,
    patch: AssistantPatch,
    graphs: readonly string[],
  ): Promise<Outcome<Assistant>> {
    return this.#transact(() => this.#assistants.patch(id, patch, graphs));
  }

  async removeAssistant(id: string, graphs: readonly string[]): Promise<Outcome<null>> {
    return this.#transact(() => {
      this.#assistants.remove(id, graphs);
      return null;
    });
  }

  async searchAssistants(
    filter: AssistantFilter,
    order: AssistantOrder,
    graphs: readonly string[],
  ): Promise<readonly Assistant[]> {
    this.#prepare();
    return this.#assistants.search(filter, order, graphs);
  }

  async getAssistantVersions(id: string, graphs: readonly string[]): Promise<Outcome<readonly Assistant[]>> {
    return this.#transact(() => this.#assistants.versions(id, graphs));
  }

  async setLatestAssistant(
    id: string,
    version: number,
    graphs: readonly string[],
  ): Promise<Outcome<Assistant>> {
    return this.#transact(() => this.#assistants.setLatest(id, version, graphs));
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
