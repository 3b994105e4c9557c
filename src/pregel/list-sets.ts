const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The texts of a list, made into a set once. Lists are told apart by identity, so they should be a graph's. */
export function setOf(list: readonly string[]): ReadonlySet<string> {
  let known = sets.get(list);
  if (known === undefined) sets.set(list, (known = new Set(list)));
  return known;
}
