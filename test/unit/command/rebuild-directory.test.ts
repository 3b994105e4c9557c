import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { rebuildDirectory } from "../../../src/command/rebuild-directory.ts";

/** The folder of a server's state with so many objects of threads. */
function stateWith(count: number): string {
  const state = mkdtempSync(join(tmpdir(), "tidemark-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const folder = join(state, "do", "worker-Thread");
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index++)
    writeFileSync(join(folder, `${String(index).padStart(64, "0")}.sqlite`), "");
  return state;
}

it("goes on when objects cannot tell, says which, and fails in the end", async () => {
  const api = createServer((request, response) => {
    request.setEncoding("utf8");
    void request.toArray().then((chunks) => {
      const { objects } = JSON.parse(chunks.join("")) as { objects: string[] };
      const failed = objects.slice(0, 1).map((object) => ({ object, code: "internal" }));
      response.end(JSON.stringify({ announced: objects.length - 1, failed }));
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void api.close());
  await once(api, "listening");
  const { port } = api.address() as AddressInfo;
  const told: string[] = [];
  const rebuilding = rebuildDirectory(
    { url: `http://127.0.0.1:${port}`, apiKey: undefined },
    { state: stateWith(150), className: "Thread" },
    (line) => told.push(line),
  );
  await expect(rebuilding).rejects.toThrow("2 objects could not tell. Run the command again.");
  const named = told.filter((line) => /^The object \d{64} could not tell: internal$/.test(line));
  expect(named).toHaveLength(2);
  expect(told.at(-1)).toBe("148 threads are known.");
});
