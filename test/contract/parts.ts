/** All objects in a value, itself included. Of bytes, what they are views of is not looked at. */
export function objectsIn(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== "object" || value === null || found.has(value)) return found;
  found.add(value);
  if (value instanceof Map) for (const part of [...value].flat()) objectsIn(part, found);
  else if (value instanceof Set) for (const part of value) objectsIn(part, found);
  else if (!isOpen(value)) for (const part of Object.values(value)) objectsIn(part, found);
  return found;
}

/** Whether it can be changed by whoever has it, in the state too. */
export function isOpen(part: object): boolean {
  return (
    ArrayBuffer.isView(part) || part instanceof ArrayBuffer || part instanceof URL || part instanceof RegExp
  );
}

/** Changes in place what can be so changed. */
export function spoil(value: unknown): void {
  for (const part of objectsIn(value)) {
    if (part instanceof Uint8Array) part.fill(99);
    else if (part instanceof URL) part.hash = "spoilt";
  }
}
