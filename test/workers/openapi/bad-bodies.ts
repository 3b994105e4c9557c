import type { Random } from "../../e2e/support/random.ts";

/** Values of all kinds; somewhere each of them is wrong. */
const JUNK: readonly [unknown, ...unknown[]] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  "",
  "x",
  "../../etc/passwd",
  "\u0000",
  "\ud800",
  "x".repeat(5000),
  [],
  [null],
  [[[]]],
  {},
  { unheard_of: 1 },
  { $ref: "#" },
  { toString: 1, constructor: { prototype: 1 } },
  JSON.parse('{"__proto__":{"a":1},"":1}'),
  "9".repeat(400),
  "2026-13-45T99:99:99Z",
];

/** The value with one thing made wrong: a key replaced, left out or added, at whatever depth, or all of it. */
export function spoiled(value: unknown, keys: readonly string[], random: Random): unknown {
  // What comes before the one that is wrong is not to be done either.
  if (Array.isArray(value) && random.next() < 0.9) return [...value, spoiled(value[0], keys, random)];
  if (!isObject(value) || random.next() < 0.1) return random.pick(JUNK);
  const inner = Object.keys(value).filter((key) => isObject(value[key]));
  if (inner.length > 0 && random.next() < 0.4) {
    const key = pick(inner, random);
    return { ...value, [key]: spoiled(value[key], [], random) };
  }
  const known = [...new Set([...keys, ...Object.keys(value)])];
  const key = pick(known, random);
  const chance = random.next();
  if (chance < 0.15) return { ...value, unheard_of: random.pick(JUNK) };
  if (chance < 0.3) return Object.fromEntries(Object.entries(value).filter(([each]) => each !== key));
  return { ...value, [key]: random.pick(JUNK) };
}

/** For each of the keys: the value without it, with null there, and with values of all kinds; and with a key too many. */
export function* spoiledEach(
  value: unknown,
  keys: readonly string[],
): Generator<{ readonly what: string; readonly body: unknown }, void, undefined> {
  if (Array.isArray(value)) {
    for (const { what, body } of spoiledEach(value[0], keys))
      yield { what: `${what} of the last`, body: [...value, body] };
    return;
  }
  const good = isObject(value) ? value : {};
  yield { what: "a key too many", body: { ...good, unheard_of: 1 } };
  for (const key of new Set([...keys, ...Object.keys(good)])) {
    const others = Object.entries(good).filter(([each]) => each !== key);
    yield { what: `no ${key}`, body: Object.fromEntries(others) };
    for (const junk of JUNK)
      yield { what: junk === null ? `null for ${key}` : `a wrong ${key}`, body: { ...good, [key]: junk } };
  }
}

/** Bodies that are no JSON, or none that is taken. */
export const NOT_JSON: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  "an open object": "{",
  "a comma too many": '{"a":1,}',
  "something after it": "{}x",
  "a word of JavaScript": "undefined",
  "a number that is none": "NaN",
  "bytes that are no UTF-8": new Uint8Array([0x22, 0xff, 0xfe, 0x22]),
  "bytes of half a surrogate pair": new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]),
  "a slash in too many bytes": new Uint8Array([0x22, 0xc0, 0xaf, 0x22]),
  "text in UTF-16": new Uint8Array([0x7b, 0, 0x7d, 0]),
  "bytes that are compressed": new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0xae, 5, 0]),
  "a number of another base": '{"a":0x10}',
  "a comment": "{/* */}",
  "too many levels": "[".repeat(450) + "]".repeat(450),
  "far too many levels": "[".repeat(40_000) + "]".repeat(40_000),
  "far too many that are left open": '{"a":'.repeat(15_000),
};

function pick(texts: readonly string[], random: Random): string {
  const [first = "", ...others] = texts;
  return random.pick([first, ...others]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
