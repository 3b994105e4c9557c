/** Says why a value that is no object cannot be stored, and what to do. */
export function refusalOfPrimitive(value: unknown): string {
  return typeof value === "function"
    ? "a function cannot be stored; leave it out, or keep it outside of state"
    : `a ${typeof value} cannot be stored; use a string`;
}

const ADVICE: Readonly<Record<string, string>> = {
  Promise: "a Promise cannot be stored; await it first",
  WeakMap: "a WeakMap cannot be stored; use a Map",
  WeakSet: "a WeakSet cannot be stored; use a Set",
  WeakRef: "a WeakRef cannot be stored; store what it refers to",
  SharedArrayBuffer: "a SharedArrayBuffer cannot be stored; copy its bytes into a Uint8Array",
};

/** Says why an object with this prototype, which is neither plain nor of a type that is known, cannot be stored. */
export function refusalOfInstance(prototype: object): string {
  const constructor: unknown = Object.hasOwn(prototype, "constructor")
    ? Reflect.get(prototype, "constructor")
    : undefined;
  if (typeof constructor !== "function") {
    return "it has a prototype of its own; return plain data, or register a codec for it with the serializer";
  }
  const { name } = constructor;
  const advice = Object.hasOwn(ADVICE, name) ? ADVICE[name] : undefined;
  const described = name === "" ? "a class without a name" : `class "${name}"`;
  return (
    advice ??
    `it is an instance of ${described}; return plain data, or register a codec for the class with the serializer`
  );
}
