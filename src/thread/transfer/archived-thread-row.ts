import { InvalidArchiveError } from "../../archive/errors.ts";
import type { Cell } from "../../archive/records.ts";
import { MAX_METADATA } from "../../metadata-limits.ts";
import { UNMOVED_THREAD_COLUMNS } from "./archived-tables.ts";
import { boundMetadata } from "../thread-metadata.ts";
import { parseJsonObject } from "../thread-rows.ts";

type Columns = Readonly<Record<string, Cell>>;

/** The last time that a date can say, in milliseconds since 1970. */
const LAST_TIME = 8.64e15;
/** What an assistant's id may have, in characters. */
const MAX_ASSISTANT_ID = 256;

/** What is moved of the thread's own row, to a thread that is bound to `graph`. Refuses what no thread would have written. */
export function movedColumns(columns: Columns, graph: string): Columns {
  const moved = Object.entries(columns).filter(
    ([column]) => !UNMOVED_THREAD_COLUMNS.includes(column) && column !== "graph",
  );
  return Object.fromEntries(moved.map(([column, value]) => [column, movedCell(column, value, graph)]));
}

function movedCell(column: string, value: Cell, graph: string): Cell {
  if (column === "metadata") return movedMetadata(value, graph);
  if (column === "created_at" || (column === "updated_at" && value !== null)) requireTime(column, value);
  return value;
}

function requireTime(column: string, value: Cell): void {
  const isTime = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LAST_TIME;
  if (!isTime) throw new InvalidArchiveError(`"${column}" of the thread is no time`);
}

function movedMetadata(value: Cell, graph: string): string {
  const metadata = typeof value === "string" ? parseJsonObject(value) : undefined;
  if (metadata === undefined) throw new InvalidArchiveError("the metadata of the thread is no JSON object");
  const { graph_id: _, assistant_id: assistant, ...others } = metadata;
  const own = graph === "" ? metadata : others;
  if (JSON.stringify(own).length > MAX_METADATA)
    throw new InvalidArchiveError("the metadata of the thread is too large");
  if (graph === "") return JSON.stringify(own);
  const isId = typeof assistant === "string" && assistant.length <= MAX_ASSISTANT_ID;
  return JSON.stringify(boundMetadata(own, graph, isId ? assistant : undefined));
}
