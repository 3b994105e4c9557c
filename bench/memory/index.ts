import { readFileSync, writeFileSync } from "node:fs";
import { BucketServer } from "../../test/e2e/support/bucket-server.ts";
import { BundledServer } from "../../test/e2e/support/bundled-server.ts";
import { columnsOf } from "../support/columns.ts";
import { LiveMemory } from "./live-memory.ts";
import { post } from "./post.ts";
import { isKind, type Kind, type Place, PLACES, VALUES } from "./values.ts";

const WARM_UP = 3;
const COLUMNS = ["held at once", "times its size", "process", "process of a bare object"];

/** What values near the limits take, in memory, while they are stored, handed on, and read by an object that remembers nothing. */
export async function benchMemory(): Promise<string> {
  const live = await LiveMemory.start();
  const bucket = await BucketServer.start();
  const server = await BundledServer.build(import.meta.dirname, { bucket: bucket.address });
  try {
    const rows: string[][] = [];
    for (const place of PLACES) {
      for (const kind of Object.keys(VALUES).filter(isKind)) {
        const { what, size } = VALUES[kind];
        const held = await live.of(place, kind);
        const ours = await growthOf(server, "tidemark", place, kind);
        const bare = place === "encrypted" ? "–" : megabytes(await growthOf(server, "bare", place, kind));
        rows.push([`${what}, ${place}`, megabytes(held), (held / size).toFixed(1), megabytes(ours), bare]);
      }
    }
    return columnsOf(["MB more, kept and read again", ...COLUMNS], rows);
  } finally {
    await live.stop();
    await server.dispose();
    await bucket.stop();
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

/** By how much a new process grows at its peak, in bytes: with what nobody has collected yet, and what it has given back to itself. */
async function growthOf(
  server: BundledServer,
  subject: "tidemark" | "bare",
  place: Place,
  kind: Kind,
): Promise<number> {
  await server.start();
  try {
    for (let round = 0; round < WARM_UP; round++) await post(`${server.url}/${subject}/${place}/none`);
    const before = memoryOf(server.pid, "VmRSS");
    // The peak is counted from here.
    writeFileSync(`/proc/${server.pid}/clear_refs`, "5");
    await post(`${server.url}/${subject}/${place}/${kind}`);
    return memoryOf(server.pid, "VmHWM") - before;
  } finally {
    await server.kill();
  }
}

/** Of Linux; in bytes. */
function memoryOf(pid: number | undefined, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number.parseInt(new RegExp(`^${field}:\\s*(.*)$`, "m").exec(status)?.[1] ?? "0", 10) * 1024;
}
