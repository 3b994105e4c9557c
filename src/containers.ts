export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function isMap(value: object): value is Map<unknown, unknown> {
  return Object.getPrototypeOf(value) === Map.prototype;
}

export function isSet(value: object): value is Set<unknown> {
  return Object.getPrototypeOf(value) === Set.prototype;
}

export function isContainer(value: object): boolean {
  return Array.isArray(value) || isPlain(value) || isMap(value) || isSet(value);
}

/** Nobody can change the Map from now on. */
export function lockMap<T extends object>(map: T): T {
  return Object.freeze(Object.defineProperties(map, LOCKED_MAP));
}

/** Nobody can change the Set from now on. */
export function lockSet<T extends object>(set: T): T {
  return Object.freeze(Object.defineProperties(set, LOCKED_SET));
}

function refuse(kind: string): PropertyDescriptor {
  return {
    value: () => {
      throw new TypeError(`Cannot change a ${kind} that is part of the state`);
    },
  };
}

/** Own properties that hide the methods which change a Map or a Set. */
const LOCKED_MAP = { set: refuse("Map"), delete: refuse("Map"), clear: refuse("Map") };
const LOCKED_SET = { add: refuse("Set"), delete: refuse("Set"), clear: refuse("Set") };
