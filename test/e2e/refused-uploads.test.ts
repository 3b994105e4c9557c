import * as http from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BundledServer } from "./support/bundled-server.ts";
import { request } from "./support/request.ts";

const CHUNK = Buffer.alloc(1024 * 1024, "x");
const CHUNKS = 24;
const TRIES = 8;

let server: BundledServer;

beforeAll(async () => {
  server = await BundledServer.build(join(import.meta.dirname, "fixtures/protocol"));
  await server.start();
});
afterAll(() => server?.dispose());

/** What is sent is up to `send`. Returns the status, or why there is none. */
function upload(
  path: string,
  type: string,
  send: (outgoing: http.ClientRequest) => void,
): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { "content-type": type };
    const options = { method: "POST", agent: false, timeout: 40_000, headers };
    const outgoing = http.request(`${server.url}${path}`, options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("No answer.")));
    outgoing.on("error", ({ message }) => resolve(message));
    send(outgoing);
  });
}

/** Sends more than anybody takes, without asking whether it may. */
function sendMuch(outgoing: http.ClientRequest): void {
  let sent = 0;
  const send = (): void => {
    while (sent < CHUNKS) {
      sent += 1;
      if (!outgoing.write(CHUNK)) return void outgoing.once("drain", send);
    }
    outgoing.end();
  };
  send();
}

/** Sends so many bytes, and then neither more nor the end. */
function stall(path: string, type: string, size: number): Promise<number | string> {
  let stalled: http.ClientRequest | undefined;
  const send = (outgoing: http.ClientRequest): void => {
    stalled = outgoing;
    outgoing.write(CHUNK.subarray(0, size));
  };
  return upload(path, type, send).finally(() => stalled?.destroy());
}

it.each([
  ["an archive for a thread that there is", "/threads/there/import", "application/vnd.tidemark.thread", 409],
  ["an archive that is none", "/threads/new/import", "application/vnd.tidemark.thread", 400],
  ["a body over the limit", "/threads/new/invoke", "application/json", 413],
  ["something for a route that there is not", "/threads/new/imports", "text/csv", 404],
])("tells who sends %s why it is refused", { timeout: 120_000 }, async (_, path, type, status) => {
  await request(`${server.url}/threads`, { body: { thread_id: "there", if_exists: "do_nothing" } });
  const told: (number | string)[] = [];
  for (let attempt = 0; attempt < TRIES; attempt++) told.push(await upload(path, type, sendMuch));
  expect(told).toEqual(Array(TRIES).fill(status));
});

it("waits for nobody for ever who sends no more", { timeout: 60_000 }, async () => {
  const archive = "application/vnd.tidemark.thread";
  await request(`${server.url}/threads`, { body: { thread_id: "there", if_exists: "do_nothing" } });
  const told = await Promise.all([
    stall("/threads/new/imports", "text/csv", 1000),
    stall("/threads/there/import", archive, 1000),
    stall("/threads/there/import", archive, CHUNK.length),
    stall("/threads/stalled/import", archive, 1000),
    stall("/threads/stalled-long/import", archive, CHUNK.length),
  ]);
  expect(told).toEqual([404, 409, 409, 400, 400]);
});

it("lets go of a thread whose archive its sender breaks off", async () => {
  const { text: run } = await request(`${server.url}/threads/full/invoke`, {
    body: { graph: "chat", input: { messages: [{ type: "human", content: "x".repeat(100_000) }] } },
  });
  expect(run).toContain("xxx");
  const archive = Buffer.from(await (await fetch(`${server.url}/threads/full/export`)).arrayBuffer());
  const headers = { "content-type": "application/vnd.tidemark.thread" };
  const outgoing = http.request(`${server.url}/threads/half/import`, {
    method: "POST",
    agent: false,
    headers,
  });
  outgoing.on("error", () => undefined);
  outgoing.write(archive.subarray(0, archive.length / 2));
  const make = async (): Promise<number> =>
    (await request(`${server.url}/threads`, { body: { thread_id: "half" } })).status;
  await expect.poll(make).toBe(409);
  outgoing.destroy();
  await expect.poll(make, { timeout: 10_000 }).toBe(200);
});
