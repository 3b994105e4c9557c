export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && isPlain(value);
}

export function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype;
}

export function isMap(value: object): value is Map<unknown, unknown> {
  return Object.getPrototypeOf(value) === Map.prototype;
}

export function isSet(value: object): value is Set<unknown> {
  return Object.getPrototypeOf(value) === Set.prototype;
}

export function isContainer(value: object): boolean {
  return isList(value) || isPlain(value) || isMap(value) || isSet(value);
}

/** A key that somebody has given the value beside its members: hidden properties, which are not enumerable, are passed over. */
export function addedKey(value: object): string | symbol | undefined {
  const last = Object.keys(value).at(-1);
  return last === undefined || isIndex(last, value) ? addedSymbol(value) : last;
}

export function addedSymbol(value: object): symbol | undefined {
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.find((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol));
}

/** Indices come before other keys. */
function isIndex(key: string, value: object): boolean {
  const index = Number(key);
  const isIndexed = Array.isArray(value) || ArrayBuffer.isView(value);
  return isIndexed && String(index) === key && index < Number(Reflect.get(value, "length"));
}

/** The class itself. The clock of a test may have put another in its place, whose instances say that they are of this one. */
const RealDate = Date;

/** What dates are told by, whichever object stands between. */
export const DATE_PROTOTYPE: object = RealDate.prototype;

/** Whether the value is a Date, locked or not. One of a subclass is something else; so is what only has the prototype. */
export function isDate(value: object): value is Date {
  return (
    value instanceof RealDate &&
    value.constructor === RealDate &&
    Object.prototype.toString.call(value) === "[object Date]"
  );
}

/** Nobody can change the Map from now on. */
export function lockMap<T extends object>(map: T): T {
  return Object.freeze(Object.defineProperties(map, LOCKED_MAP));
}

/** Nobody can change the Set from now on. */
export function lockSet<T extends object>(set: T): T {
  return Object.freeze(Object.defineProperties(set, LOCKED_SET));
}

/** Nobody can change the Date from now on. */
export function lockDate(date: Date): Date {
  return Object.freeze(Object.setPrototypeOf(date, LOCKED_DATE) as Date);
}

function refuse(kind: string): PropertyDescriptor {
  return {
    value: () => {
      throw new TypeError(`Cannot change a ${kind} that is part of the state; change a copy: new ${kind}(…)`);
    },
  };
}

/** Own properties that hide the methods which change a Map or a Set. */
const LOCKED_MAP = { set: refuse("Map"), delete: refuse("Map"), clear: refuse("Map") };
const LOCKED_SET = { add: refuse("Set"), delete: refuse("Set"), clear: refuse("Set") };

/** Stands between a Date and its class: sixteen own properties for each would take twenty times as long. */
const LOCKED_DATE: object = Object.create(
  DATE_PROTOTYPE,
  Object.fromEntries(
    Object.getOwnPropertyNames(DATE_PROTOTYPE)
      .filter((name) => name.startsWith("set"))
      .map((name) => [name, refuse("Date")]),
  ),
) as object;
