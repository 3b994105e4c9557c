import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey } from "jose";
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

  it("hold as long as the issuer's clock may differ from ours", async () => {
    const tolerant = server({ auth: jwt({ ...RULES, keys, clockTolerance: 5 }) });
    const statuses = [{ nbf: 4 }, { exp: -4 }, { nbf: 6 }, { exp: -6 }].map(async (times) => {
      const claims = Object.entries(times).map(([claim, seconds]) => [claim, NOW / 1000 + seconds] as const);
      const headers = { authorization: `Bearer ${await token(Object.fromEntries(claims))}` };
      return (await tolerant(`${path()}/state`, { headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([404, 404, 401, 401]);
  });

  it("are not checked with a key that they bring, or name by an address or a path", async () => {
    const own = await exportJWK(stranger.publicKey);
    const asked = vi.spyOn(globalThis, "fetch");
    const tricks = [
      { jwk: own },
      { jku: "https://evil.example.com/jwks.json" },
      { x5u: "https://evil.example.com/cert.pem" },
      { kid: "../../../dev/null" },
      { kid: "k1' OR '1'='1" },
      { kid: ["k1"] },
      { crit: ["exp"] },
      { b64: false, crit: ["b64"] },
    ];
    for (const header of tricks) {
      const forged = await new SignJWT({
        iss: RULES.issuer,
        aud: RULES.audience,
        sub: "ann",
        exp: NOW,
        org: "acme",
      })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .sign(stranger.privateKey);
      const [, claims, signature] = forged.split(".");
      const bytes = JSON.stringify({ alg: "ES256", kid: "k1", ...header });
      const text = `${btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}.${claims}.${signature}`;
      expect((await invoke(path(), text)).status).toBe(401);
    }
    expect(asked).not.toHaveBeenCalled();
    asked.mockRestore();
  });

  it("of a public RSA key taken for a secret are refused", async () => {
    const pair = await generateKeyPair("RS256", { extractable: true });
    const set = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k1" }] };
    const rsa = server({ auth: jwt({ ...RULES, keys: set, algorithms: ["RS256", "HS256"] }) });
    const read = (bearer: string) =>
      rsa(`${path()}/state`, { headers: { authorization: `Bearer ${bearer}` } });
    expect((await read(await token({}, pair.privateKey, "RS256"))).status).toBe(404);
    for (const secret of [
      await exportSPKI(pair.publicKey),
      JSON.stringify(set.keys[0]),
      set.keys[0]?.n ?? "",
    ]) {
      const forged = await token({}, new TextEncoder().encode(secret), "HS256");
      expect((await read(forged)).status).toBe(401);
    }
  });

  it("of a key that the issuer has put in the place of another are taken, and the old ones are not; strange ones cost no more", async () => {
    let published: object = keys;
    const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(published));
    const remote = server({ auth: jwt({ ...RULES, keys: "https://id.example.com/jwks.json" }) });
    const signed = (kid: string, key: CryptoKey) =>
      new SignJWT({ iss: RULES.issuer, aud: RULES.audience, sub: "ann", exp: NOW / 1000 + 60 })
        .setProtectedHeader({ alg: "ES256", kid })
        .sign(key);
    const status = async (kid: string, key: CryptoKey): Promise<number> => {
      const headers = { authorization: `Bearer ${await signed(kid, key)}` };
      return (await remote(`${path()}/state`, { headers })).status;
    };
    const clock = vi.spyOn(Date, "now").mockReturnValue(NOW);
    expect(await status("k1", privateKey)).toBe(404);
    for (let n = 0; n < 20; n++) expect(await status(`strange ${n}`, stranger.privateKey)).toBe(401);
    expect(asked).toHaveBeenCalledTimes(1);
    published = { keys: [{ ...(await exportJWK(stranger.publicKey)), kid: "k2", alg: "ES256" }] };
    clock.mockReturnValue(NOW + 31_000);
    expect(await status("k2", stranger.privateKey)).toBe(404);
    expect(await status("k1", privateKey)).toBe(401);
    expect(asked).toHaveBeenCalledTimes(2);
    vi.restoreAllMocks();
  });

  it("that do not name their key are checked with each that it may be", async () => {
    const second = await generateKeyPair("ES256");
    const set = await Promise.all(
      [publicKey, second.publicKey].map(async (key, index) => ({
        ...(await exportJWK(key)),
        kid: `k${index}`,
      })),
    );
    const both = server({ auth: jwt({ ...RULES, keys: { keys: set } }) });
    const status = async (key: CryptoKey, exp = NOW / 1000 + 60): Promise<number> => {
      const nameless = await new SignJWT({ iss: RULES.issuer, aud: RULES.audience, sub: "ann", exp })
        .setProtectedHeader({ alg: "ES256" })
        .sign(key);
      return (await both(`${path()}/state`, { headers: { authorization: `Bearer ${nameless}` } })).status;
    };
    expect(await status(privateKey)).toBe(404);
    expect(await status(second.privateKey)).toBe(404);
    expect(await status(second.privateKey, NOW / 1000 - 1)).toBe(401);
    expect(await status(stranger.privateKey)).toBe(401);
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
