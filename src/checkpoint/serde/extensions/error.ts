import { UndecodableError } from "../../../errors.ts";
import { EXTENSION } from "../format.ts";
import type { Extension, PayloadWriter } from "./extension.ts";

/** An instance of any other class is stored as the nearest of these that it extends, with its own name. */
const CLASSES: ReadonlyMap<string, { prototype: object; make: () => Error }> = new Map([
  ["Error", { prototype: Error.prototype, make: () => new Error() }],
  ["EvalError", { prototype: EvalError.prototype, make: () => new EvalError() }],
  ["RangeError", { prototype: RangeError.prototype, make: () => new RangeError() }],
  ["ReferenceError", { prototype: ReferenceError.prototype, make: () => new ReferenceError() }],
  ["SyntaxError", { prototype: SyntaxError.prototype, make: () => new SyntaxError() }],
  ["TypeError", { prototype: TypeError.prototype, make: () => new TypeError() }],
  ["URIError", { prototype: URIError.prototype, make: () => new URIError() }],
  ["AggregateError", { prototype: AggregateError.prototype, make: () => new AggregateError([]) }],
  ["DOMException", { prototype: DOMException.prototype, make: () => new DOMException() }],
]);
const NAMES: ReadonlyMap<object, string> = new Map(
  [...CLASSES].map(([name, { prototype }]) => [prototype, name]),
);

/** What built-in errors keep out of sight of `Object.keys`. */
const HIDDEN: ReadonlySet<string> = new Set(["name", "message", "cause", "errors", "stack"]);
const NAMED: ReadonlySet<string> = new Set([...HIDDEN, "code"]);

/**
 * Name, message, code, cause and the errors of an AggregateError are kept, and must be storable. Other enumerable
 * properties are kept where they can be stored: libraries hang sockets and headers on their errors. The stack is not kept, and as the
 * class of a library is not, nor are its methods and marks: functions, and what stands under symbols.
 */
export const errorExtension: Extension<Error> = {
  type: EXTENSION.error,
  write(error, to) {
    const className = classNameOf(error);
    to.value(className);
    if (error.name !== className) writeEntry(to, "name", error.name);
    if (error.message !== "") writeEntry(to, "message", error.message);
    if ("code" in error) writeEntry(to, "code", error.code);
    if ("cause" in error) writeEntry(to, "cause", error.cause);
    if (error instanceof AggregateError) writeEntry(to, "errors", error.errors);
    for (const [key, value] of Object.entries(error)) {
      if (typeof value === "function") continue;
      if (!NAMED.has(key) || (key === "errors" && !(error instanceof AggregateError)))
        to.optionalEntry(key, value);
    }
  },
  read(from, end) {
    const className = from.text();
    const known = CLASSES.get(className);
    if (known === undefined)
      throw new UndecodableError(`it holds an error of the unknown class "${className}"`);
    const error = from.register(known.make());
    while (from.input.position < end) {
      const key = from.text();
      define(error, key, from.value());
    }
    define(error, "stack", `${error.name}: ${error.message}`);
    return error;
  },
};

function writeEntry(to: PayloadWriter, key: string, value: unknown): void {
  to.value(key);
  to.part(key, value);
}

function classNameOf(error: Error): string {
  let prototype: object | null = error;
  while (prototype !== null) {
    const name = NAMES.get(prototype);
    if (name !== undefined) return name;
    prototype = Object.getPrototypeOf(prototype);
  }
  return "Error";
}

function define(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, {
    value,
    writable: true,
    configurable: true,
    enumerable: !HIDDEN.has(key),
  });
}
