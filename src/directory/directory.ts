import { migrate, schemaVersion } from "../storage/migrations.ts";
import { Sql } from "../storage/sql.ts";
import { directoryMigrations } from "./migrations.ts";
import type {
  AskedQuestion,
  DirectoryApi,
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
  #hasTables = false;

  constructor(storage: DurableObjectStorage) {
    const sql = new Sql(storage.sql);
    this.#storage = storage;
    this.#threads = new ThreadIndex(sql);
    this.#search = new ThreadSearch(sql);
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
