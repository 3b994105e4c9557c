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

/** A condition of SQL and its inputs. */
interface Condition {
  readonly sql: string;
  readonly inputs: readonly SqlInput[];
}

/** Drafts that are asked of for one search: the others count as threads, which nearly all of them are. */
const MAX_DRAFTS = 100;

/** There are only few: those of threads that were made a moment ago, or not at all. */
const IS_DRAFT = `t.expected_by IS NOT NULL AND t.version = ${DRAFT}`;

type PlaceRow = { thread_id: string; key: string | number };

/** A thread that may not be made, and the object that knows. */
export interface DraftedThread extends Record<string, SqlStorageValue> {
  readonly thread_id: string;
  readonly object_id: string;
}

/** Finds threads by their keys: what it reads follows the threads that the rarest key of a filter has, or the page that is wanted. */
export class ThreadSearch {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(filter: ThreadFilter, { by, descending }: ThreadOrder, count: number): readonly ThreadPlace[] {
    const direction = descending ? "DESC" : "ASC";
    const columns = `t.thread_id, t.${by} AS key`;
    const order = `t.${by} ${direction}, t.thread_id ${direction}`;
    const rows = this.#first<PlaceRow>(columns, this.#where(filter), { filter, order, count });
    return rows.map((row) => ({ threadId: row.thread_id, key: row.key }));
  }

  /** Those that are found of which there is only a draft, those first that have been expected for longest. */
  drafts(filter: ThreadFilter): readonly DraftedThread[] {
    if (this.#sql.first(`SELECT 1 FROM threads t WHERE ${IS_DRAFT} LIMIT 1`) === undefined) return [];
    const { sql, inputs } = this.#where(filter);
    const where = { sql: `${IS_DRAFT} AND ${sql}`, inputs };
    const wanted = { filter, order: "t.expected_by", count: MAX_DRAFTS };
    return this.#first<DraftedThread>("t.thread_id, t.object_id", where, wanted);
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

  /** The first rows of an order. */
  #first<Row extends Record<string, SqlStorageValue>>(
    columns: string,
    where: Condition,
    {
      filter,
      order,
      count,
    }: { readonly filter: ThreadFilter; readonly order: string; readonly count: number },
  ): readonly Row[] {
    const select = `FROM threads t WHERE ${where.sql} ORDER BY ${order}`;
    if (isExactFilter(filter))
      return this.#sql.all<Row>(`SELECT ${columns} ${select} LIMIT ?`, ...where.inputs, count);
    const statement = `SELECT ${columns}, t.entry ${select}`;
    const found: Row[] = [];
    for (const row of this.#sql.each<Row & { entry: string }>(statement, ...where.inputs)) {
      if (!matches(row.entry, filter)) continue;
      found.push(row);
      if (found.length === count) break;
    }
    return found;
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
