type List = readonly string[];

/** Of lists with the same names, gives back the first: the engine keeps what it has read once for each list. */
export function sharedLists(): (names: Iterable<string>) => List {
  const known: List[] = [];
  return (names) => {
    const list = [...names];
    const same = known.find((other) => isSame(list, other));
    if (same !== undefined) return same;
    known.push(list);
    return list;
  };
}

function isSame(list: List, other: List): boolean {
  return list.length === other.length && list.every((name, index) => name === other[index]);
}
