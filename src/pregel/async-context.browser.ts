/**
 * The form for places without `node:async_hooks`: the value is known until the call first awaits. After that, use what
 * the node's `config` offers (`config.interrupt`, `config.writer`).
 */
export class AsyncContext<T> {
  #current: T | undefined;

  run<R>(value: T, call: () => R): R {
    const outer = this.#current;
    this.#current = value;
    try {
      return call();
    } finally {
      this.#current = outer;
    }
  }

  get(): T | undefined {
    return this.#current;
  }
}
