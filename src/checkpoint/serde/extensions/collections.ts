import { EXTENSION } from "../format.ts";
import type { Extension } from "./extension.ts";

export const mapExtension: Extension<Map<unknown, unknown>> = {
  type: EXTENSION.map,
  write(map, to) {
    let position = 0;
    for (const [key, value] of map) {
      to.part(position, key);
      to.part(typeof key === "string" ? key : position, value);
      position++;
    }
  },
  read(from, end) {
    const map = from.register(new Map<unknown, unknown>());
    while (from.input.position < end) {
      const key = from.value();
      map.set(key, from.value());
    }
    return map;
  },
};

export const setExtension: Extension<Set<unknown>> = {
  type: EXTENSION.set,
  write(set, to) {
    let position = 0;
    for (const member of set) to.part(position++, member);
  },
  read(from, end) {
    const set = from.register(new Set<unknown>());
    while (from.input.position < end) set.add(from.value());
    return set;
  },
};
