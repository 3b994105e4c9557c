import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeltaChannel } from "@langchain/langgraph/channels";
import { chatGraph, chatInput, type AppendingChannel } from "../graphs/chat.ts";
import { theirs, type Saver } from "../graphs/library.ts";
import { time } from "../support/timing.ts";
import SqliteDatabase from "../../test/support/better-sqlite3/index.ts";
import { TIMED_TURNS, TURNS, type ChatFigures } from "./figures.ts";

/** LangGraph.js with one of its savers, in Node. */
export interface Peer {
  readonly name: string;
  /** Its bytes grow with the square of the turns: it is not asked for more than a thousand. */
  readonly growsWithSquare: boolean;
  chat(): Promise<ChatFigures[]>;
}

const THREAD = { configurable: { thread_id: "bench" } };

const delta: AppendingChannel = (_, reducer) => () =>
  new DeltaChannel<string[], string[]>((value, writes) => writes.reduce(reducer, value));

export const peers: readonly Peer[] = [
  { name: "MemorySaver", growsWithSquare: true, chat: () => chat(memory(), 1000) },
  { name: "SqliteSaver", growsWithSquare: true, chat: () => chat(sqlite(), 1000) },
  { name: "SqliteSaver + DeltaChannel", growsWithSquare: false, chat: () => chat(sqlite(), 10_000, delta) },
];

/** A saver, and what it has stored. */
interface Measured {
  readonly saver: Saver;
  bytes(): number;
  fileBytes?(): number;
  close(): void;
}

async function chat(stored: Measured, longest: number, channel?: AppendingChannel): Promise<ChatFigures[]> {
  const graph = chatGraph(theirs, stored.saver, channel);
  const turn = (number: number) => graph.invoke(chatInput(number), THREAD);
  const figures: ChatFigures[] = [];
  let done = 0;
  for (const turns of TURNS.filter((number) => number <= longest)) {
    while (done < turns - TIMED_TURNS) await turn(done++);
    const milliseconds = await time(async () => {
      while (done < turns) await turn(done++);
    });
    const fileBytes = stored.fileBytes?.();
    figures.push({
      turns,
      milliseconds: milliseconds / TIMED_TURNS,
      bytes: stored.bytes(),
      ...(fileBytes !== undefined && { fileBytes }),
    });
  }
  stored.close();
  return figures;
}

function memory(): Measured {
  const saver = new theirs.MemorySaver();
  return { saver, bytes: () => bytesIn(Object.values(saver)), close: () => undefined };
}

/** All bytes and texts in a structure of plain parts. */
function bytesIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  return isPlain ? Object.values(value).reduce((sum: number, part) => sum + bytesIn(part), 0) : 0;
}

interface SqlitePackage {
  readonly SqliteSaver: new (db: SqliteDatabase) => Saver;
}

function sqlite(): Measured {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const file = join(folder, "checkpoints.db");
  const db = new SqliteDatabase(file);
  const { SqliteSaver } = sqlitePackage();
  const sum = (table: string, columns: readonly string[]) => {
    const lengths = columns.map((name) => `length(${name})`).join(" + ");
    return Number(db.prepare(`SELECT coalesce(sum(${lengths}), 0) AS n FROM ${table}`).get()?.["n"]);
  };
  return {
    saver: new SqliteSaver(db),
    bytes: () => sum("checkpoints", ["checkpoint", "metadata"]) + sum("writes", ["value"]),
    fileBytes: () => {
      db.pragma("wal_checkpoint(TRUNCATE)");
      return statSync(file).size;
    },
    close: () => {
      db.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function sqlitePackage(): SqlitePackage {
  try {
    return createRequire(import.meta.url)("@langchain/langgraph-checkpoint-sqlite") as SqlitePackage;
  } catch (cause) {
    throw new Error("The peers of this benchmark are not installed: npm run bench:install", { cause });
  }
}
