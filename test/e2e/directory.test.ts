import { readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idsOfAccount } from "../../src/command/object-ids.ts";
import { requestJson } from "./support/request.ts";
import { run } from "./support/run.ts";
import { ROOT, Server } from "./support/server.ts";

function command(...args: readonly string[]): Promise<string> {
  return run(process.execPath, [join(ROOT, "src/command/main.ts"), ...args], ROOT);
}

describe("the directory of a real server", () => {
  const server = new Server();
  beforeAll(() => server.start());
  afterAll(() => server.dispose());

  const threads = async (): Promise<readonly string[]> => {
    const { body } = await requestJson<{ thread_id: string }[]>(`${server.url}/threads/search`, { body: {} });
    return body.map(({ thread_id: id }) => id).toSorted();
  };

  it("is rebuilt from the folder of the state when it is lost, and erased with all threads", async () => {
    for (const id of ["a", "b", "c/d"]) {
      const path = `${server.url}/threads/${encodeURIComponent(id)}/invoke`;
      await requestJson(path, { body: { input: { message: "Please refund order A-1001" } } });
    }
    await expect.poll(threads).toEqual(["a", "b", "c/d"]);
    await server.kill();
    const folders = readdirSync(server.state, { recursive: true, withFileTypes: true });
    const directories = folders.filter((entry) => entry.isDirectory() && entry.name.endsWith("-Directory"));
    expect(directories).toHaveLength(1);
    for (const { parentPath, name } of directories) rmSync(join(parentPath, name), { recursive: true });
    await server.start();
    expect(await threads()).toEqual([]);
    const told = await command("rebuild-directory", "--to", server.url, "--state", server.state);
    expect(told).toBe("3 threads are known.\n");
    expect(await threads()).toEqual(["a", "b", "c/d"]);
    expect(await command("erase-tenant", "--to", server.url)).toBe("Erased: nothing is left.\n");
    expect(await threads()).toEqual([]);
    expect((await requestJson(`${server.url}/threads/a`)).status).toBe(404);
  });
});

describe("the ids of the objects of an account", () => {
  it("are listed page by page", async () => {
    const asked: string[] = [];
    const api = createServer(({ url = "", headers }, response) => {
      asked.push(`${url} ${headers.authorization}`);
      const isLast = url.includes("cursor");
      const result = isLast
        ? [{ id: "c", hasStoredData: true }]
        : [
            { id: "a", hasStoredData: true },
            { id: "b", hasStoredData: false },
          ];
      response.end(JSON.stringify({ result, result_info: isLast ? { cursor: "" } : { cursor: "next" } }));
    }).listen(0, "127.0.0.1");
    await once(api, "listening");
    const { port } = api.address() as AddressInfo;
    const account = { account: "me", namespace: "ns", token: "t", api: `http://127.0.0.1:${port}` };
    const pages: (readonly string[])[] = [];
    for await (const page of idsOfAccount(account)) pages.push(page);
    expect(pages).toEqual([["a"], ["c"]]);
    const path = "/accounts/me/workers/durable_objects/namespaces/ns/objects?limit=1000";
    expect(asked).toEqual([`${path} Bearer t`, `${path}&cursor=next Bearer t`]);
    api.close();
  });
});
