const CANONICAL_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text is a UUID in its usual form: lower case, with hyphens. */
export function isCanonicalUuid(text: string): boolean {
  return CANONICAL_UUID.test(text);
}

/** Text order by Unicode code point: the order of the UTF-8 bytes, which SQLite and other languages use. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Checkpoint ids, oldest first: text order, with ids that are not UUIDs before all that are. */
export function compareCheckpointIds(a: string, b: string): number {
  const uuidA = isCanonicalUuid(a);
  if (uuidA !== isCanonicalUuid(b)) return uuidA ? 1 : -1;
  return compareCodePoints(a, b);
}

/** A surrogate stands for a code point above every other code unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
