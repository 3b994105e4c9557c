import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { Receiver } from "./support/receiver.ts";
import { requestJson, request } from "./support/request.ts";
import { Server } from "./support/server.ts";

const disposables: { dispose(): Promise<void> }[] = [];
afterAll(() => Promise.all(disposables.map((disposable) => disposable.dispose())));

/** The configuration of a Worker that may tell this host. */
function configFor(host: string): string {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-hooks-"));
  disposables.push({ dispose: async () => rmSync(folder, { recursive: true, force: true }) });
  const config = `name = "tidemark-e2e-hooks"
main = ${JSON.stringify(join(import.meta.dirname, "fixtures/hooks/worker.ts"))}
compatibility_date = "2026-10-01"
compatibility_flags = ["nodejs_als"]
keep_names = false
send_metrics = false
[vars]
RECEIVER = ${JSON.stringify(host)}
[[durable_objects.bindings]]
name = "THREAD"
class_name = "Thread"
[[migrations]]
tag = "v1"
new_sqlite_classes = ["Thread"]
`;
  const path = join(folder, "wrangler.toml");
  writeFileSync(path, config);
  return path;
}

it("a question is told again when the server was killed before it was heard, and its link is answered", async () => {
  const receiver = await Receiver.open(1);
  disposables.push(receiver);
  const server = new Server({ config: configFor(receiver.host) });
  disposables.push(server);
  await server.start();
  const thread = `${server.url}/threads/t`;
  const body = { input: {}, webhook: `http://${receiver.host}/told` };
  expect((await request(`${thread}/invoke`, { body })).status).toBe(200);
  await vi.waitUntil(() => receiver.received.length === 1, { timeout: 10_000 });
  await server.restart();

  await vi.waitUntil(() => receiver.received.length === 2, { timeout: 30_000 });
  const [first, second] = receiver.received;
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.body).toBe(first?.body);
  const { data } = JSON.parse(second?.body ?? "{}") as { data: { interrupts: readonly { url: string }[] } };
  const link = `${server.url}${new URL(data.interrupts[0]?.url ?? "").pathname}`;
  expect((await request(link)).text).toContain("approve?");
  expect((await requestJson(link, { body: "yes" })).body).toEqual({ accepted: true });
  expect((await request(link, { body: "yes" })).status).toBe(409);
  await vi.waitUntil(() => receiver.received.length === 3, { timeout: 10_000 });
  expect(JSON.parse(receiver.received[2]?.body ?? "{}")).toMatchObject({
    type: "run.ended",
    data: { status: "success", values: { answer: "yes" } },
  });
});
