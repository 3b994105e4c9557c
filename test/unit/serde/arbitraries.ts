import * as fc from "fast-check";
import { ExternalReference } from "../../../src/checkpoint/serde/external-reference.ts";
import { Box } from "./support.ts";

const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: codeUnit }),
  fc.constantFrom(
    "\ud800",
    "a\udc00b",
    "\ufeffmark",
    "日".repeat(40),
    "x".repeat(31),
    "y".repeat(32),
    "z".repeat(300),
  ),
);
const key = fc.oneof(
  text,
  fc.constantFrom("__proto__", "constructor", "prototype", "toJSON", "then", "0", "length", "lc", ""),
);

const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(
    0,
    -0,
    NaN,
    Infinity,
    -Infinity,
    127,
    128,
    255,
    256,
    65535,
    65536,
    2 ** 31,
    2 ** 32 - 1,
    2 ** 32,
    -32,
    -33,
  ),
  fc.constantFrom(-128, -129, -32768, -32769, -(2 ** 31), -(2 ** 31) - 1, Number.MAX_VALUE, Number.MIN_VALUE),
);
const bigint = fc.oneof(
  fc.bigInt(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.constantFrom(0n, -1n, 2n ** 4000n),
);

const typedArray = fc.oneof(
  fc.int8Array(),
  fc.uint8Array(),
  fc.uint8ClampedArray(),
  fc.int16Array(),
  fc.uint16Array(),
  fc.int32Array(),
  fc.uint32Array(),
  fc.float32Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.bigUint64Array(),
);
const binary = fc.oneof(
  typedArray,
  fc.uint8Array().map((bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
  fc.uint8Array().map((bytes) => bytes.slice().buffer),
);

const regexp = fc
  .tuple(
    fc.constantFrom("", "a+", "[/]", "\\d{2}|é", "(?<n>x)\\k<n>"),
    fc.subarray(["d", "g", "i", "m", "s", "u", "y"]),
  )
  .map(([source, flags]) => new RegExp(source, flags.join("")));

const reference = fc
  .tuple(
    text,
    fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: 64, maxLength: 64 }),
    fc.nat(),
  )
  .map(([kind, hash, size]) => new ExternalReference(kind, hash, size));

const leaf = fc.oneof(
  fc.constantFrom(null, undefined, true, false),
  number,
  text,
  bigint,
  fc.date({ noInvalidDate: false }),
  regexp,
  fc.webUrl().map((href) => new URL(href)),
  binary,
  reference,
);

const errorClass = fc.constantFrom(
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
);

function errorOf(part: fc.Arbitrary<unknown>): fc.Arbitrary<Error> {
  const extras = fc.dictionary(
    fc.constantFrom("code", "status", "details", "__proto__", "constructor"),
    part,
    { maxKeys: 3 },
  );
  const base = fc.oneof(
    fc
      .tuple(errorClass, text.filter(Boolean), part)
      .map(([Class, message, cause]) => new Class(message, { cause })),
    fc
      .tuple(fc.array(part, { maxLength: 3 }), text.filter(Boolean))
      .map(([errors, message]) => new AggregateError(errors, message)),
  );
  return fc.tuple(base, extras).map(([error, properties]) => {
    for (const [name, value] of Object.entries(properties)) {
      Object.defineProperty(error, name, { value, enumerable: true, writable: true, configurable: true });
    }
    return error;
  });
}

function valueOf(withBoxes: boolean): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      leaf,
      tie("object"),
      tie("array"),
      tie("map"),
      tie("set"),
      tie("error"),
      tie("box"),
    ),
    object: fc
      .array(fc.tuple(key, tie("value")), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
    array: fc.array(tie("value"), { maxLength: 5 }),
    map: fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 4 }).map((entries) => new Map(entries)),
    set: fc.array(tie("value"), { maxLength: 4 }).map((members) => new Set(members)),
    error: errorOf(tie("value")),
    box: withBoxes ? tie("value").map((content) => new Box(content)) : tie("array"),
  })).value;
}

/** Every type that can be stored, in every other. */
export const value: fc.Arbitrary<unknown> = valueOf(true);

/** Values whose parts come up more than once, or lead back to what holds them. */
export const graph: fc.Arbitrary<unknown> = fc
  .tuple(valueOf(false), fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 6 }))
  .map(([content, grafts]) => {
    const root = { content };
    const objects = objectsIn(root);
    for (const [into, from] of grafts) {
      const target = objects[into % objects.length];
      graft(target, objects[from % objects.length]);
    }
    return root;
  });

function graft(target: unknown, part: unknown): void {
  if (Array.isArray(target)) target.push(part);
  else if (target instanceof Map) target.set(target.size, part).set(part, target.size);
  else if (target instanceof Set) target.add(part);
  else if (target instanceof Error) target.cause = part;
  else if (Object.getPrototypeOf(target) === Object.prototype)
    Object.assign(Object(target), { grafted: part });
}

function objectsIn(root: object): object[] {
  const found = new Set<object>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null || found.has(part)) return;
    found.add(part);
    if (part instanceof Map) [...part.keys(), ...part.values()].forEach(visit);
    else if (part instanceof Set) part.forEach(visit);
    else if (!ArrayBuffer.isView(part)) Object.values(part).forEach(visit);
  };
  visit(root);
  return [...found];
}
