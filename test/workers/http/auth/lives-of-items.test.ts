import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Auth } from "@langchain/langgraph-sdk/auth";
import { describe, expect, it } from "vitest";
import { langgraphAuth } from "../../../../src/langgraph-auth.ts";
import { json } from "../../../support/threads.ts";
import { type Call, server } from "./server.ts";

describe("an item of the store that goes when nobody reads it", () => {
  it("lives longer by who may know of it, and by nobody else", async () => {
    const tenant = crypto.randomUUID();
    const auth = new Auth()
      .authenticate((request) => ({ identity: request.headers.get("x-api-key") ?? "", permissions: [] }))
      .on("store", ({ user }) => ({ namespace: { $contains: user.identity } }));
    const call = server({ auth: langgraphAuth(auth, { tenant: () => tenant }) });
    const as = (user: string, path: string, request: Call = {}): Promise<Response> =>
      call(path, { ...request, headers: { "x-api-key": user } });
    const expiry = async (): Promise<number> => {
      const shards = [0, 1].map((shard) => env.DIRECTORY.getByName(JSON.stringify([tenant, shard])));
      const all = shards.map((stub) =>
        runInDurableObject(stub, (_, { storage: { sql } }) => {
          const tables = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'items'").toArray();
          return tables.length === 0 ? [] : sql.exec("SELECT expires_at FROM items").toArray();
        }),
      );
      return Number((await Promise.all(all)).flat()[0]?.["expires_at"]);
    };
    const item = { namespace: ["notes", "ann"], key: "k" };
    await as("ann", "/store/items", { method: "PUT", body: { ...item, value: { a: 1 }, ttl: 1 } });
    const get = (user: string) => as(user, "/store/items?namespace=notes.ann&key=k");
    const search = (user: string, rest = {}) =>
      as(user, "/store/items/search", { body: { namespace_prefix: ["notes"], ...rest } });
    const first = await expiry();
    await scheduler.wait(5);
    expect((await get("bob")).status).toBe(404);
    expect(await json(search("bob"))).toEqual({ items: [] });
    expect((await as("bob", "/store/items", { method: "DELETE", body: item })).status).toBe(404);
    expect(await json(search("ann", { refresh_ttl: false }))).toMatchObject({ items: [{ key: "k" }] });
    expect(await expiry()).toBe(first);
    await json(search("ann"));
    const second = await expiry();
    expect(second).toBeGreaterThan(first);
    await scheduler.wait(5);
    await json(get("ann"));
    expect(await expiry()).toBeGreaterThan(second);
  });
});
