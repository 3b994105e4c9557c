import { AsyncLocalStorage } from "node:async_hooks";

/** A value that follows the calls made inside `run`, also across awaits. */
export class AsyncContext<T> {
  readonly #storage = new AsyncLocalStorage<T>();

  run<R>(value: T, call: () => R): R {
    return this.#storage.run(value, call);
  }

  get(): T | undefined {
    return this.#storage.getStore();
  }
}
