import { addedKey } from "../../values/containers.ts";
import { isLangChainMessage } from "../../langchain-message.ts";
import { isStoredByContent } from "./extensions/registry.ts";

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
export function refusalOfInstance(value: object, prototype: object): string {
  const constructor: unknown = Object.hasOwn(prototype, "constructor")
    ? Reflect.get(prototype, "constructor")
    : undefined;
  if (typeof constructor !== "function") {
    return "it has a prototype of its own; return plain data, or register a codec that matches it: registerCodec()";
  }
  const { name } = constructor;
  if (isStoredByContent(prototype)) return refusalOfBuiltIn(value, name);
  const advice = Object.hasOwn(ADVICE, name) ? ADVICE[name] : undefined;
  const described = name === "" ? "a class without a name" : `class "${name}"`;
  if (isLangChainMessage(value)) {
    return `it is a message of LangChain, of ${described}, which is not registered; import * as messages from "@langchain/core/messages" and call registerMessages(messages) where the graph is made`;
  }
  return (
    advice ??
    `it is an instance of ${described}; return plain data, or register a codec for the class: registerCodec()`
  );
}

/** Of an instance of a built-in class that has more than such an instance holds, or less. */
function refusalOfBuiltIn(value: object, name: string): string {
  const key = addedKey(value);
  if (key !== undefined)
    return `its property ${String(key)} would be lost, since of class "${name}" only what it holds can be stored; put both into an object`;
  return Array.isArray(value)
    ? `nearly all of its ${value.length} places are empty; use an object or a Map`
    : `it holds nothing: it has the prototype of class "${name}" alone, or its bytes were given away`;
}
