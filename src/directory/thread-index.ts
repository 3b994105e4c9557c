import type { Sql } from "../storage/sql.ts";
import { contains } from "../values/contains.ts";
import { isExact, leavesOf, leavesWithin, type Leaf, MAX_KEYS } from "./leaves.ts";
import { DRAFT } from "../draft-version.ts";
import type { AskedQuestion, QuestionsPage, ThreadEntry } from "./protocol.ts";

/** The path that stands for the status. */
export const STATUS = "status";

/** When the object with the id is asked, in milliseconds since 1970. */
interface ExpectedBy {
  readonly by: number;
  readonly objectId: string;
}

type EntryRow = { id: number; version: number; entry: string; expected_by: number | null };

/** The rows of threads, and of what they are found by. */
export class ThreadIndex {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** In a transaction. An entry that is older than what is known, or as old, changes nothing but what is expected; the newest draft is the one that counts. */
  put(entry: ThreadEntry, expectation?: ExpectedBy): void {
    const known = this.#find(entry.threadId);
    const isNews = (known?.expected_by ?? undefined) !== expectation?.by;
    const expected = isNews ? expectationColumns(expectation) : [];
    const isDraft = known?.version === DRAFT && expectation !== undefined;
    if (known !== undefined && known.version >= entry.version && !isDraft) {
      const isOlder = known.version > entry.version && expectation === undefined;
      if (!isOlder) this.#set(known.id, expected);
      return;
    }
    const before = known === undefined ? undefined : parseEntry(known.entry);
    const id = known?.id ?? this.#insert(entry.threadId, [...columnsOf(entry), ...expected]);
    if (before !== undefined) this.#set(id, [...newColumns(before, entry), ...expected]);
    this.#replaceKeys(id, before, entry);
    this.#replaceQuestions(id, before, entry);
  }

  /** In a transaction. */
  remove(threadId: string): void {
    const known = this.#find(threadId);
    if (known === undefined) return;
    const before = parseEntry(known.entry);
    this.#replaceKeys(known.id, before, undefined);
    this.#replaceQuestions(known.id, before, undefined);
    this.#sql.run("DELETE FROM threads WHERE id = ?", known.id);
  }

  /** Of what is known of the thread. */
  versionOf(threadId: string): number | undefined {
    const statement = "SELECT version FROM threads WHERE thread_id = ?";
    return this.#sql.first<{ version: number }>(statement, threadId)?.version;
  }

  get(threadIds: readonly string[]): readonly ThreadEntry[] {
    const statement = "SELECT entry FROM threads WHERE thread_id IN (SELECT value FROM json_each(?))";
    return this.#sql
      .all<{ entry: string }>(statement, JSON.stringify(threadIds))
      .map((row) => parseEntry(row.entry));
  }

  questions({ limit, after, access = {} }: QuestionsPage): readonly AskedQuestion[] {
    const wanted = leavesWithin("metadata", access);
    const keys = wanted.slice(0, MAX_KEYS);
    const isFiltered = keys.length < wanted.length || !isExact(access);
    const isAccessible = keys.map(
      (_, index) =>
        ` AND EXISTS (SELECT 1 FROM thread_keys k WHERE k.path = ?${2 * index + 5} AND k.value = ?${2 * index + 6} AND k.thread = q.thread)`,
    );
    const statement = `SELECT t.thread_id, q.interrupt, q.asked_at, q.question${isFiltered ? ", t.entry" : ""}
      FROM questions q JOIN threads t ON t.id = q.thread
      WHERE (q.asked_at > ?1 OR (q.asked_at = ?1 AND (t.thread_id, q.interrupt) > (?2, ?3)))${isAccessible.join("")}
      ORDER BY q.asked_at, t.thread_id, q.interrupt LIMIT ?4`;
    const inputs = keys.flatMap(({ path, value }) => [path, value]);
    type Row = {
      thread_id: string;
      interrupt: string;
      asked_at: number;
      question: string;
      entry?: string;
    };
    const place = [after?.askedAt ?? -1, after?.threadId ?? "", after?.interruptId ?? ""] as const;
    const found: AskedQuestion[] = [];
    const most = isFiltered ? -1 : limit;
    for (const row of this.#sql.each<Row>(statement, ...place, most, ...inputs)) {
      if (isFiltered && !contains(parseEntry(row.entry ?? "").metadata, access)) continue;
      found.push({
        threadId: row.thread_id,
        interruptId: row.interrupt,
        askedAt: row.asked_at,
        value: JSON.parse(row.question) as AskedQuestion["value"],
      });
      if (found.length === limit) break;
    }
    return found;
  }

  #find(threadId: string): EntryRow | undefined {
    return this.#sql.first<EntryRow>(
      "SELECT id, version, entry, expected_by FROM threads WHERE thread_id = ?",
      threadId,
    );
  }

  #insert(threadId: string, columns: readonly Column[]): number {
    const names = columns.map(([name]) => name).join(", ");
    const statement = `INSERT INTO threads (thread_id, ${names}) VALUES (?${", ?".repeat(columns.length)}) RETURNING id`;
    return this.#sql.one<{ id: number }>(statement, threadId, ...columns.map(([, value]) => value)).id;
  }

  #set(id: number, columns: readonly Column[]): void {
    if (columns.length === 0) return;
    const set = columns.map(([name]) => `${name} = ?`).join(", ");
    this.#sql.run(`UPDATE threads SET ${set} WHERE id = ?`, ...columns.map(([, value]) => value), id);
  }

  #replaceKeys(id: number, before: ThreadEntry | undefined, after: ThreadEntry | undefined): void {
    const [old, wanted] = [before, after].map((entry) => keyed(entry === undefined ? [] : keysOf(entry)));
    for (const [key, { path, value }] of old ?? []) {
      if (wanted?.has(key)) continue;
      this.#sql.run("DELETE FROM thread_keys WHERE path = ? AND value = ? AND thread = ?", path, value, id);
    }
    for (const [key, { path, value }] of wanted ?? []) {
      if (old?.has(key)) continue;
      this.#sql.run("INSERT INTO thread_keys (path, value, thread) VALUES (?, ?, ?)", path, value, id);
    }
  }

  #replaceQuestions(id: number, before: ThreadEntry | undefined, after: ThreadEntry | undefined): void {
    for (const { askedAt, interruptId } of before?.questions ?? []) {
      const statement = "DELETE FROM questions WHERE asked_at = ? AND thread = ? AND interrupt = ?";
      this.#sql.run(statement, askedAt, id, interruptId);
    }
    for (const { askedAt, interruptId, value } of after?.questions ?? []) {
      const statement = "INSERT INTO questions (asked_at, thread, interrupt, question) VALUES (?, ?, ?, ?)";
      this.#sql.run(statement, askedAt, id, interruptId, JSON.stringify(value));
    }
  }
}

export function parseEntry(text: string): ThreadEntry {
  // What `columnsOf` has written.
  return JSON.parse(text) as ThreadEntry;
}

/** What a thread is found by. */
function keysOf({ status, metadata, extract }: ThreadEntry): readonly Leaf[] {
  return [
    { path: STATUS, value: status },
    ...leavesOf("metadata", metadata),
    ...leavesOf("extract", extract),
  ];
}

type Column = readonly [name: string, value: string | number | null];

/** What is said again would be written again, into the indexes too. */
function newColumns(before: ThreadEntry, entry: ThreadEntry): readonly Column[] {
  const old = new Map(columnsOf(before));
  return columnsOf(entry).filter(([name, value]) => old.get(name) !== value);
}

function expectationColumns(expectation: ExpectedBy | undefined): readonly Column[] {
  return [
    ["expected_by", expectation?.by ?? null],
    ["object_id", expectation?.objectId ?? null],
  ];
}

function columnsOf(entry: ThreadEntry): readonly Column[] {
  return [
    ["version", entry.version],
    ["status", entry.status],
    ["created_at", entry.createdAt],
    ["updated_at", entry.updatedAt],
    ["state_updated_at", entry.stateUpdatedAt],
    ["entry", JSON.stringify(entry)],
  ];
}

function keyed(leaves: readonly Leaf[]): ReadonlyMap<string, Leaf> {
  return new Map(leaves.map((leaf) => [JSON.stringify([leaf.path, leaf.value]), leaf]));
}
