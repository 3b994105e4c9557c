import { isObject } from "../values/containers.ts";
import type { Difference } from "./patch/diff.ts";

/** What was found out of values that tasks have written: most of them are compared once more, as what the next checkpoint has. */
export class Comparisons {
  readonly #found = new WeakMap<object, { readonly old: object; readonly difference: Difference }>();

  /** Both adopted, the old one in stored form; so is what the difference writes out. */
  note(old: object, next: object, difference: Difference): void {
    this.#found.set(next, { old, difference });
  }

  find(old: unknown, next: unknown): Difference | undefined {
    const found = isObject(next) ? this.#found.get(next) : undefined;
    return found?.old === old ? found?.difference : undefined;
  }

  /** They are compared no more. Each would keep the one before it. */
  forget(values: Iterable<unknown>): void {
    for (const value of values) if (isObject(value)) this.#found.delete(value);
  }
}
