import { BaseStore, type Operation, type OperationResults } from "./base-store.ts";

interface Waiting {
  readonly operations: readonly Operation[];
  readonly resolve: (results: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Hands all operations that are issued in one turn to another store as one batch: what several nodes ask is one call. */
export class AsyncBatchedStore extends BaseStore {
  readonly #store: BaseStore;
  #waiting: Waiting[] = [];

  constructor(store: BaseStore) {
    super();
    this.#store = store;
  }

  override batch<const Ops extends readonly Operation[]>(operations: Ops): Promise<OperationResults<Ops>> {
    return new Promise<readonly unknown[]>((resolve, reject) => {
      this.#waiting.push({ operations, resolve, reject });
      if (this.#waiting.length === 1) queueMicrotask(() => void this.#flush());
      // The results are those of these operations, in their order.
    }) as Promise<OperationResults<Ops>>;
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const results: readonly unknown[] = await this.#store.batch(waiting.flatMap((call) => call.operations));
      let start = 0;
      for (const { operations, resolve } of waiting) {
        resolve(results.slice(start, start + operations.length));
        start += operations.length;
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
