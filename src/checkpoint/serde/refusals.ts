import { isLangChainMessage } from "../../langchain-message.ts";

/** Says why a value that is no object cannot be stored, and what to do. */
export function refusalOfPrimitive(value: unknown): string {
  return typeof value === "function"
    ? "a function cannot be stored; leave it out, or keep it outside of state"
    : `a ${typeof value} cannot be stored; use a string`;
}

const ADVICE: Readonly<Record<string, string>> = {
  Date: "a Date with properties of its own, or without a time, cannot be stored; store what it has beside it",
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
