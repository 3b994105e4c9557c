import * as fc from "fast-check";
import { adopt } from "../../../src/values/adopt.ts";
import { LONG } from "../../../src/values/shared-ends.ts";
import { graph, value } from "../serde/arbitraries.ts";

/** Turns a value into another one as graphs do: parts stay, are rebuilt, changed, moved, added and removed. */
class Editor {
  readonly #choices: readonly number[];
  readonly #parts: readonly unknown[];
  #position = 0;

  constructor(choices: readonly number[], parts: readonly unknown[]) {
    this.#choices = choices;
    this.#parts = parts;
  }

  edit(part: unknown, depth = 0): unknown {
    if (typeof part !== "object" || part === null || depth > 6)
      return this.#choose(4) === 0 ? this.#other() : part;
    switch (this.#choose(6)) {
      case 0:
        return part;
      case 1:
        return rebuilt(part);
      case 2:
        return this.#choose(3) === 0 ? { was: part, now: this.#other() } : this.#editParts(part, depth);
      default:
        return this.#editParts(part, depth);
    }
  }

  #editParts(part: object, depth: number): unknown {
    if (Array.isArray(part)) return this.#editList(part, depth);
    if (part instanceof Map) {
      return new Map(
        this.#editList([...part], depth, ([key, inner]) => [key, this.edit(inner, depth + 1)]).map((entry) =>
          Array.isArray(entry) && entry.length === 2 ? [entry[0], entry[1]] : [entry, entry],
        ),
      );
    }
    if (part instanceof Set) return new Set(this.#editList([...part], depth));
    if (Object.getPrototypeOf(part) !== Object.prototype) return part;
    const entries = this.#editList(Object.entries(part), depth, ([key, inner]) => [
      key,
      this.edit(inner, depth + 1),
    ]);
    return Object.fromEntries(
      entries.map((entry, index) =>
        Array.isArray(entry) && typeof entry[0] === "string" && entry.length === 2
          ? [entry[0], entry[1]]
          : [`new ${index}`, entry],
      ),
    );
  }

  #editList<Member>(
    list: readonly Member[],
    depth: number,
    edit = (member: Member): unknown => this.edit(member, depth + 1),
  ): unknown[] {
    const members: unknown[] = [...list];
    const at = this.#choose(members.length + 1);
    switch (this.#choose(7)) {
      case 0:
        members.splice(at, 1);
        break;
      case 1:
        members.splice(at, 0, this.#other());
        break;
      case 2:
        members.push(this.#other(), this.#other());
        break;
      case 3:
        members.push(...members.splice(0, at));
        break;
      case 4:
        members.reverse();
        break;
      default:
    }
    return members.map((member) =>
      this.#choose(3) === 0 && (list as readonly unknown[]).includes(member)
        ? edit(member as Member)
        : member,
    );
  }

  /** A part from elsewhere: of the value itself, or unknown to it. */
  #other(): unknown {
    return this.#parts[this.#choose(this.#parts.length)];
  }

  #choose(count: number): number {
    const choice = this.#choices[this.#position++ % this.#choices.length] ?? 0;
    return (choice + this.#position) % Math.max(count, 1);
  }
}

/** Equal, but of new objects; what is shared stays shared. */
function rebuilt(part: unknown, done = new Map<unknown, unknown>()): unknown {
  if (done.has(part)) return done.get(part);
  if (Array.isArray(part)) {
    const list: unknown[] = [];
    done.set(part, list);
    for (const inner of part) list.push(rebuilt(inner, done));
    return list;
  }
  if (part instanceof Map) {
    const map = new Map<unknown, unknown>();
    done.set(part, map);
    for (const [key, inner] of part) map.set(rebuilt(key, done), rebuilt(inner, done));
    return map;
  }
  if (part instanceof Set) {
    const set = new Set<unknown>();
    done.set(part, set);
    for (const inner of part) set.add(rebuilt(inner, done));
    return set;
  }
  if (typeof part !== "object" || part === null || Object.getPrototypeOf(part) !== Object.prototype)
    return part;
  const record: Record<string, unknown> = { ...part };
  done.set(part, record);
  for (const [key, inner] of Object.entries(record)) record[key] = rebuilt(inner, done);
  return record;
}

function partsOf(root: unknown): unknown[] {
  const found = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (found.has(part)) return;
    found.add(part);
    if (part instanceof Map) [...part].flat().forEach(visit);
    else if (part instanceof Set || Array.isArray(part)) part.forEach(visit);
    else if (typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype)
      Object.values(part).forEach(visit);
  };
  visit(root);
  return [...found];
}

const members = fc.array(fc.oneof(fc.integer(), fc.record({ id: fc.nat(9), text: fc.string() })), {
  minLength: LONG - 2,
  maxLength: LONG + 10,
});

/** So long that it is remembered what they have in common. */
const long = members.chain((list) =>
  fc.constantFrom<unknown>(
    list,
    { list, n: 1 },
    new Set(list),
    new Map(list.map((member, index) => [index % 3 === 0 ? member : `key ${index}`, member])),
    Object.fromEntries(list.map((member, index) => [`key ${index}`, member])),
  ),
);

/** What a value becomes next: what is new in it is not adopted. */
interface Edit {
  readonly before: unknown;
  readonly given: unknown;
  readonly adopted: unknown;
}

/** Edits of an adopted value, each of what the one before it has made of it. */
export const edits: fc.Arbitrary<Edit[]> = fc
  .tuple(
    fc.oneof(value, graph, long),
    fc.array(fc.tuple(fc.array(fc.nat(), { minLength: 4, maxLength: 40 }), value), {
      minLength: 1,
      maxLength: 6,
    }),
  )
  .map(([first, choices]) => {
    const all: Edit[] = [];
    let before: unknown = adopt(first);
    for (const [choice, other] of choices) {
      const given = new Editor(choice, [...partsOf(before), other]).edit(before);
      const adopted = adopt(given, before);
      all.push({ before, given, adopted });
      before = adopted;
    }
    return all;
  });

/** Adopted values, each made from the one before it, and in its place. */
export const versions: fc.Arbitrary<unknown[]> = edits.map((all) => [
  all[0]?.before,
  ...all.map(({ adopted }) => adopted),
]);
