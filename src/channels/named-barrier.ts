import { InvalidUpdateError } from "../graph-errors.ts";

/** The seen names with the written ones. The same set when there is nothing new. */
export function see<Name>(
  names: ReadonlySet<Name>,
  seen: ReadonlySet<Name>,
  written: readonly Name[],
): ReadonlySet<Name> {
  for (const name of written) {
    if (names.has(name)) continue;
    const expected = [...names].map(String).join(", ");
    throw new InvalidUpdateError(`The barrier waits for ${expected}; "${String(name)}" is none of them.`, {
      details: { name },
    });
  }
  return written.every((name) => seen.has(name)) ? seen : new Set([...seen, ...written]);
}

/** The saved names that the barrier still waits for: its definition may have changed since. */
export function knownNames<Name>(names: ReadonlySet<Name>, saved: readonly Name[]): ReadonlySet<Name> {
  return new Set(saved.filter((name) => names.has(name)));
}
