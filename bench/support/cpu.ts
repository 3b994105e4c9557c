import { readFileSync } from "node:fs";

/** Of the clock that Linux counts the time of processes by, in hertz. */
const TICKS = 100;

/** What a process has used of the processor, in milliseconds; NaN where there is no Linux to ask. */
export function cpuTime(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  } catch {
    return Number.NaN;
  }
}
