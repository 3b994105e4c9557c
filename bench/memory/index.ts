import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestHarness } from "wrangler";
import { columnsOf } from "../support/columns.ts";
import { isKind, VALUES } from "./values.ts";

const WARM_UP = 3;

type Subject = "tidemark" | "bare";
type Place = (typeof PLACES)[number];
const PLACES = ["SQLite", "R2"] as const;

/**
 * What the whole process takes at its peak while values near the limits are stored, and read by an object that remembers
 * nothing; and while an object that does nothing else stores and reads them.
 */
export async function benchMemory(): Promise<string> {
  const rows: string[][] = [];
  for (const place of PLACES) {
    for (const kind of Object.keys(VALUES).filter(isKind)) {
      const { what, size } = VALUES[kind];
      const ours = await peakOf("tidemark", place, kind);
      const bare = await peakOf("bare", place, kind);
      const times = [ours / size, bare / size, ours / bare].map((ratio) => ratio.toFixed(1));
      rows.push([`${what}, ${place}`, (ours / 1e6).toFixed(0), (bare / 1e6).toFixed(0), ...times]);
    }
  }
  const columns = ["Tidemark", "bare object", "times its size", "bare, times its size", "against bare"];
  return columnsOf(["MB more, kept and read again", ...columns], rows);
}

/** In a process of its own: nothing is given back in between. In bytes. */
async function peakOf(subject: Subject, place: Place, kind: string): Promise<number> {
  const harness = createTestHarness({
    workers: [{ configPath: join(import.meta.dirname, "wrangler.toml") }],
  });
  const before = new Set(workerds());
  const { origin } = (await harness.listen()).url;
  // One of them has the Worker, others serve the harness.
  const pids = workerds().filter((pid) => !before.has(pid));
  const keep = (each: string) => post(`${origin}/${subject}/${place}/${each}`);
  try {
    for (let round = 0; round < WARM_UP; round++) await keep("none");
    const start = pids.map((pid) => memoryOf(pid, "VmRSS"));
    // The peak is counted from here.
    for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, "5");
    await keep(kind);
    return Math.max(...pids.map((pid, index) => memoryOf(pid, "VmHWM") - (start[index] ?? 0)));
  } finally {
    await harness.close();
  }
}

async function post(url: string): Promise<void> {
  const response = await fetch(url, { method: "POST" });
  if (!response.ok) throw new Error(await response.text());
}

/** The processes that run Workers: those of this one among them. */
function workerds(): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && nameOf(pid) === "workerd" && isOurs(pid));
}

function isOurs(pid: string): boolean {
  for (let each = pid; each !== "0"; each = fieldOf(each, "PPid"))
    if (each === String(process.pid)) return true;
  return false;
}

function memoryOf(pid: string, field: "VmRSS" | "VmHWM"): number {
  return Number.parseInt(fieldOf(pid, field), 10) * 1024;
}

function nameOf(pid: string): string {
  return fieldOf(pid, "Name");
}

/** Of Linux; "0" for a process that is gone. */
function fieldOf(pid: string, field: string): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return new RegExp(`^${field}:\\s*(.*)$`, "m").exec(status)?.[1] ?? "0";
  } catch {
    return "0";
  }
}
