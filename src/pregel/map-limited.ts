/** Maps a list by something asynchronous, so many at a time; all at once when there is no limit. Keeps the order. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number | undefined,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await map(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(items.length, limit ?? Infinity) }, work));
  return results;
}
