import type { MaybePromise } from "./types.ts";

export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Calls `next` at once when there is nothing to wait for. Not called `then`: a module with that export is taken for a promise. */
export function chain<T, Result>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<Result>,
): MaybePromise<Result> {
  return isPromise(value) ? value.then(next) : next(value);
}

/**
 * Starts all of the work before any of it is awaited, and waits only for what is a promise. Work that throws makes the
 * others be waited for too, so that none of them fails unheard.
 */
export function both<A, B>(
  first: () => MaybePromise<A>,
  second: () => MaybePromise<B>,
): MaybePromise<[A, B]> {
  const a = attempt(first);
  const b = attempt(second);
  return isPromise(a) || isPromise(b) ? Promise.all([a, b]) : [a, b];
}

/** The same for any number of works of one kind. */
export function all<T>(works: readonly (() => MaybePromise<T>)[]): MaybePromise<T[]> {
  return each(works, (work) => work());
}

/** The same, with one work for each of the items. */
export function each<Item, T>(
  items: readonly Item[],
  work: (item: Item) => MaybePromise<T>,
): MaybePromise<T[]> {
  const results = items.map((item): MaybePromise<T> => {
    try {
      return work(item);
    } catch (error) {
      return Promise.reject(error);
    }
  });
  return results.some(isPromise) ? Promise.all(results.map(async (result) => result)) : (results as T[]);
}

function attempt<T>(work: () => MaybePromise<T>): MaybePromise<T> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}
