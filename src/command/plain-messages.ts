/**
 * Turns the messages of LangChain's classes that a value holds into plain objects of the same shape, which a thread keeps
 * without those classes. Everything else stays as it is.
 */
export function plainMessages<Value>(value: Value): Value;
export function plainMessages(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((part: unknown) => plainMessages(part));
  if (isMessage(value)) return { ...plainMessages(value.toDict().data), type: value.getType() };
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainMessages(part)]));
}

interface LangChainMessage {
  getType(): string;
  toDict(): { readonly data: object };
}

function isMessage(value: object): value is LangChainMessage {
  return (
    "getType" in value &&
    typeof value.getType === "function" &&
    "toDict" in value &&
    typeof value.toDict === "function"
  );
}
