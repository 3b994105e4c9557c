/** Threads that are called at once: what they answer is in memory together. */
const AT_ONCE = 8;

/** Does the work for some of the items at once, and then for the next. The results are in their order. */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  return results;
}
