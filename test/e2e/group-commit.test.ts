import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BundledServer } from "./support/bundled-server.ts";
import { request } from "./support/request.ts";

/** In milliseconds: calls that nobody answers are on their way by then. */
const SENT_WITHIN = 500;

let folder: string;
let server: BundledServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-group-commit-"));
  server = await BundledServer.build(join(import.meta.dirname, "fixtures/protocol"), { folder });
  await server.start();
});
afterAll(async () => {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** The bytes of the logs that the objects of a class have written ahead. Each commit writes the pages that it changes. */
function logged(className: "Thread" | "Directory"): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const logs = files.filter((file) => file.endsWith(".sqlite-wal") && file.includes(`/${className}/`));
  return logs.reduce((size, file) => size + statSync(join(folder, file)).size, 0);
}

async function post(path: string, body: object): Promise<void> {
  const response = await request(`${server.url}${path}`, { method: "POST", body });
  expect(response).toMatchObject({ status: 200 });
}

/** What each of so many calls adds to the logs. */
async function growth(
  className: "Thread" | "Directory",
  count: number,
  calls: () => Promise<unknown>,
): Promise<number> {
  const before = logged(className);
  await calls();
  return (logged(className) - before) / count;
}

async function inTurn(count: number, call: () => Promise<void>): Promise<void> {
  for (let left = count; left > 0; left--) await call();
}

/** The server stands still until all of them have been sent. */
async function atOnce(count: number, call: () => Promise<void>): Promise<void> {
  const { pid } = server;
  if (pid === undefined) throw new Error("The server does not run.");
  process.kill(pid, "SIGSTOP");
  const calls = Promise.all(Array.from({ length: count }, call));
  await new Promise((resolve) => setTimeout(resolve, SENT_WITHIN));
  process.kill(pid, "SIGCONT");
  await calls;
}

/** A run on one and the same new thread. */
function runs(): () => Promise<void> {
  const path = `/threads/${crypto.randomUUID()}/runs/wait`;
  const input = { messages: [{ type: "human", content: "hello" }] };
  return () =>
    post(path, { assistant_id: "nod", input, if_not_exists: "create", multitask_strategy: "enqueue" });
}

// Not so many that a log is full and begins anew.
describe("calls that come at the same time become durable together", () => {
  it("runs of a thread", async () => {
    const [one, other] = [runs(), runs()];
    await one();
    const alone = await growth("Thread", 20, () => inTurn(20, one));
    await inTurn(30, other);
    const together = await growth("Thread", 24, () => atOnce(24, other));
    expect(alone).toBeGreaterThan(4096);
    expect(together).toBeLessThan(alone / 2);
  });

  it("what a directory is told", async () => {
    const create = () => post("/threads", {});
    await create();
    const alone = await growth("Directory", 100, () => inTurn(100, create));
    const together = await growth("Directory", 200, () => atOnce(200, create));
    expect(alone).toBeGreaterThan(4096);
    expect(together).toBeLessThan(alone / 2);
  });
});
