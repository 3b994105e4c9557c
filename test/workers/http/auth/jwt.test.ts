import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from "jose";
import { describe, expect, it, vi } from "vitest";
import { jwt } from "../../../../src/jwt.ts";
import { json } from "../../../support/threads.ts";
import { codeOf, server } from "./server.ts";

const { privateKey, publicKey } = await generateKeyPair("ES256");
const stranger = await generateKeyPair("ES256");
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }] };
const NOW = Date.parse("2026-11-02T00:00:00Z");
const RULES = { issuer: "https://id.example.com", audience: "agents", now: () => NOW };

function token(
  claims: Record<string, unknown>,
  key: CryptoKey | Uint8Array = privateKey,
  alg = "ES256",
): Promise<string> {
  const all = {
    iss: RULES.issuer,
    aud: RULES.audience,
    sub: "ann",
    exp: NOW / 1000 + 60,
    org: "acme",
    ...claims,
  };
  return new SignJWT(all).setProtectedHeader({ alg, kid: "k1" }).sign(key);
}

const call = server({ auth: jwt({ ...RULES, keys, tenant: "org", scopes: "scope" }) });

async function invoke(path: string, bearer: string): Promise<Response> {
  return call(`${path}/invoke`, {
    headers: { authorization: `Bearer ${bearer}` },
    body: { input: { log: ["in"] } },
  });
}

const path = () => `/threads/${crypto.randomUUID()}`;

describe("signed tokens", () => {
  it("say tenant and scopes", async () => {
    const thread = path();
    const ann = await token({ scope: "threads:read threads:create_run" });
    expect(await json(invoke(thread, ann))).toMatchObject({ status: "interrupted" });
    const bob = await token({ org: "other", scope: ["threads:*"] });
    const other = await call(`${thread}/state`, { headers: { authorization: `Bearer ${bob}` } });
    expect(await codeOf(other)).toBe("thread_not_found");
    for (const scope of ["threads:read", ["threads:read"], undefined, 7]) {
      expect(await codeOf(await invoke(thread, await token({ scope })))).toBe("forbidden");
    }
  });

  it.for([
    ["of another issuer", { iss: "https://id.example.org" }],
    ["for another service", { aud: "mail" }],
    ["that have expired", { exp: NOW / 1000 - 1 }],
    ["that do not expire", { exp: undefined }],
    ["that do not hold yet", { nbf: NOW / 1000 + 60 }],
    ["of nobody", { sub: undefined }],
    ["of a nameless one", { sub: "" }],
    ["without a tenant", { org: undefined }],
    ["of the nameless tenant", { org: "" }],
    ["with a tenant that is no text", { org: ["acme"] }],
    ["with a tenant that cannot be one", { org: "a\nb" }],
  ] as const)("%s are refused", async ([, claims]) => {
    const response = await invoke(path(), await token({ scope: "*", ...claims }));
    expect([response.status, await codeOf(response)]).toEqual([401, "unauthenticated"]);
  });

  it("that were signed by others, or not at all, are refused", async () => {
    const [header = "", claims = "", signature = ""] = (await token({ scope: "*" })).split(".");
    const none = btoa('{"alg":"none"}').replaceAll("=", "");
    const secret = new TextEncoder().encode(JSON.stringify(keys.keys[0]));
    const forged = [
      await token({ scope: "*" }, stranger.privateKey),
      await token({ scope: "*" }, secret, "HS256"),
      `${none}.${claims}.`,
      `${header}.${claims}.${signature.slice(2)}`,
      `${header}.${claims}`,
      "nonsense",
    ];
    for (const text of forged) expect((await invoke(path(), text)).status).toBe(401);
  });

  it("are checked with the keys that the issuer publishes, and no use while these cannot be read", async () => {
    const answers = [new Response("down", { status: 503 }), Response.json(keys)];
    const asked = vi
      .spyOn(globalThis, "fetch")
      .mockImplementation(async () => answers.shift() ?? Response.error());
    const remote = server({ auth: jwt({ ...RULES, keys: "https://id.example.com/jwks.json" }) });
    const headers = { authorization: `Bearer ${await token({})}` };
    const read = () => remote(`${path()}/state`, { headers });
    const down = await read();
    expect([down.status, await codeOf(down)]).toEqual([503, "auth_unavailable"]);
    expect(await codeOf(await read())).toBe("thread_not_found");
    expect(await codeOf(await read())).toBe("thread_not_found");
    expect(asked.mock.calls.map(([url]) => url)).toEqual(Array(2).fill("https://id.example.com/jwks.json"));
    asked.mockRestore();
  });
});
