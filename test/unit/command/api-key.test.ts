import { timingSafeEqual } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newApiKey } from "../../../src/command/api-key.ts";
import { apiKeys, type ApiKey } from "../../../src/http/auth/api-keys.ts";

/** Workers have it there. */
beforeAll(() => void Object.assign(crypto.subtle, { timingSafeEqual }));
afterAll(() => void Reflect.deleteProperty(crypto.subtle, "timingSafeEqual"));

/** What the command prints: the key, and the entry for the list. */
function made(options: Parameters<typeof newApiKey>[0]): { key: string; entry: ApiKey } {
  const [, key = "", , , entry = ""] = newApiKey(options).split("\n");
  return { key, entry: JSON.parse(entry) as ApiKey };
}

describe("a new API key", () => {
  it("opens the server that has its entry", async () => {
    const { key, entry } = made({
      name: "ci",
      tenant: "acme",
      scope: ["threads:read"],
      expires: "2027-12-31",
    });
    const auth = apiKeys(
      () => [entry],
      () => Date.parse("2027-12-30"),
    );
    const request = new Request("http://localhost/", { headers: { "x-api-key": key } });
    expect(await auth(request, {} as never)).toEqual({
      tenant: "acme",
      caller: "ci",
      scopes: ["threads:read"],
    });
    const later = apiKeys(
      () => [entry],
      () => Date.parse("2027-12-31"),
    );
    expect(await later(request, {} as never)).toBeUndefined();
  });

  it("is another one each time, and not in its entry", () => {
    const [first, second] = [made({ name: "ci" }), made({ name: "ci" })];
    expect(first.key).not.toBe(second.key);
    expect(JSON.stringify(first.entry)).not.toContain(first.key);
    expect(Object.keys(first.entry)).toEqual(["hash", "name"]);
  });

  it("needs a name, and a time that is one", () => {
    expect(() => newApiKey({})).toThrow("--name");
    expect(() => newApiKey({ name: "ci", expires: "soon" })).toThrow("--expires");
  });
});
