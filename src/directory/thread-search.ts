import type { Sql, SqlInput } from "../storage/sql.ts";
import { contains } from "../values/contains.ts";
import { DRAFT } from "../draft-version.ts";
import { isExact, type Leaf, leavesWithin, MAX_KEYS } from "./leaves.ts";
import type { ThreadFilter, ThreadOrder, ThreadPlace } from "./protocol.ts";
import { parseEntry, STATUS } from "./thread-index.ts";

/** With more threads than this under one key, going through them in the wanted order is faster than sorting them. */
const FEW = 2000;

/** Keys among which the rarest are looked for. */
const MAX_COUNTED = 200;

/** Drafts that are looked at for one search: the others count as threads, which nearly all of them are. */
const MAX_DRAFTS = 100;

/** A condition of SQL and its inputs. */
interface Condition {
  readonly sql: string;
  readonly inputs: readonly SqlInput[];
}

type PlaceRow = { thread_id: string; key: string | number; entry?: string };

/** A thread that may not be made, and the object that knows. */
interface DraftedThread extends Record<string, SqlStorageValue> {
  readonly thread_id: string;
  readonly object_id: string;
  readonly entry: string;
}

/** Finds threads by their keys: what it reads follows the threads that the rarest key of a filter has, or the page that is wanted. */
export class ThreadSearch {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(filter: ThreadFilter, { by, descending }: ThreadOrder, count: number): readonly ThreadPlace[] {
    const where = this.#where(filter);
    const direction = descending ? "DESC" : "ASC";
    const isFiltered = !isExactFilter(filter);
    const statement = `SELECT t.thread_id, t.${by} AS key${isFiltered ? ", t.entry" : ""} FROM threads t
      WHERE ${where.sql} ORDER BY t.${by} ${direction}, t.thread_id ${direction}${isFiltered ? "" : " LIMIT ?"}`;
    const found: ThreadPlace[] = [];
    for (const row of this.#sql.each<PlaceRow>(statement, ...where.inputs, ...(isFiltered ? [] : [count]))) {
      if (isFiltered && !matches(row.entry ?? "", filter)) continue;
      found.push({ threadId: row.thread_id, key: row.key });
      if (found.length === count) break;
    }
    return found;
  }

  /** Of those that are found, those of which there is only a draft. There are few: they were announced a moment ago, or never made. */
  drafts(filter: ThreadFilter): readonly DraftedThread[] {
    const statement = `SELECT thread_id, object_id, entry FROM threads
      WHERE expected_by IS NOT NULL AND version = ${DRAFT} ORDER BY expected_by LIMIT ${MAX_DRAFTS}`;
    return this.#sql
      .all<DraftedThread>(statement)
      .filter(({ thread_id: id, entry }) => filter.ids?.includes(id) !== false && matches(entry, filter));
  }

  count(filter: ThreadFilter): number {
    const leaves = wantedKeys(filter);
    if (isExactFilter(filter) && leaves.length > 0 && filter.ids === undefined)
      return this.#countByKeys(leaves);
    const where = this.#where(filter);
    if (isExactFilter(filter)) {
      const statement = `SELECT count(*) AS count FROM threads t WHERE ${where.sql}`;
      return this.#sql.one<{ count: number }>(statement, ...where.inputs).count;
    }
    const statement = `SELECT t.entry FROM threads t WHERE ${where.sql}`;
    let count = 0;
    for (const { entry } of this.#sql.each<{ entry: string }>(statement, ...where.inputs)) {
      if (matches(entry, filter)) count += 1;
    }
    return count;
  }

  /** The keys alone say it: threads are not looked at. */
  #countByKeys(leaves: readonly Leaf[]): number {
    const [rarest, ...others] = this.#rarestFirst(leaves).map(({ leaf }) => leaf);
    const rest = others.map(
      () =>
        " AND EXISTS (SELECT 1 FROM thread_keys o WHERE o.path = ? AND o.value = ? AND o.thread = k.thread)",
    );
    const statement = `SELECT count(*) AS count FROM thread_keys k WHERE k.path = ? AND k.value = ?${rest.join("")}`;
    const inputs = [rarest, ...others].flatMap((leaf) => (leaf === undefined ? [] : [leaf.path, leaf.value]));
    return this.#sql.one<{ count: number }>(statement, ...inputs).count;
  }

  #where(filter: ThreadFilter): Condition {
    const leaves = wantedKeys(filter);
    const conditions = this.#byKeys(leaves);
    if (filter.ids !== undefined) {
      conditions.push({
        sql: "t.thread_id IN (SELECT value FROM json_each(?))",
        inputs: [JSON.stringify(filter.ids)],
      });
    }
    return {
      sql: conditions.map(({ sql }) => sql).join(" AND ") || "true",
      inputs: conditions.flatMap(({ inputs }) => inputs),
    };
  }

  /** By the rarest of the keys; {@link matches} looks at those that are too many for one statement. */
  #byKeys(leaves: readonly Leaf[]): Condition[] {
    const rarestFirst = this.#rarestFirst(leaves);
    const [rarest] = rarestFirst;
    return rarestFirst.map(({ leaf: { path, value }, count }) =>
      count <= FEW && count === rarest?.count
        ? {
            sql: "t.id IN (SELECT thread FROM thread_keys WHERE path = ? AND value = ?)",
            inputs: [path, value],
          }
        : {
            // The sign keeps the planner from beginning here.
            sql: "EXISTS (SELECT 1 FROM thread_keys k WHERE k.path = ? AND k.value = ? AND k.thread = +t.id)",
            inputs: [path, value],
          },
    );
  }

  #rarestFirst(leaves: readonly Leaf[]): readonly { readonly leaf: Leaf; readonly count: number }[] {
    const counted = leaves.slice(0, MAX_COUNTED).map((leaf) => ({ leaf, count: this.#countUpTo(leaf) }));
    return counted.toSorted((a, b) => a.count - b.count).slice(0, MAX_KEYS);
  }

  #countUpTo({ path, value }: Leaf): number {
    const statement = `SELECT count(*) AS count
      FROM (SELECT 1 FROM thread_keys WHERE path = ? AND value = ? LIMIT ${FEW + 1})`;
    return this.#sql.one<{ count: number }>(statement, path, value).count;
  }
}

function wantedKeys({ status, metadata = {}, extract = {}, access = {} }: ThreadFilter): readonly Leaf[] {
  return [
    ...(status === undefined ? [] : [{ path: STATUS, value: status }]),
    ...leavesWithin("metadata", access),
    ...leavesWithin("metadata", metadata),
    ...leavesWithin("extract", extract),
  ];
}

/** Whether SQL alone says which threads are wanted. */
function isExactFilter(filter: ThreadFilter): boolean {
  const { metadata = {}, extract = {}, access = {} } = filter;
  return [metadata, extract, access].every(isExact) && wantedKeys(filter).length <= MAX_KEYS;
}

function matches(text: string, { status, metadata = {}, extract = {}, access = {} }: ThreadFilter): boolean {
  const entry = parseEntry(text);
  return (
    (status === undefined || status === entry.status) &&
    contains(entry.metadata, access) &&
    contains(entry.metadata, metadata) &&
    contains(entry.extract, extract)
  );
}
