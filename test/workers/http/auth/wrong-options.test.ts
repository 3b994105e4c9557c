import { createExecutionContext } from "cloudflare:test";
import { Auth } from "@langchain/langgraph-sdk/auth";
import { describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../../src/index.ts";
import { jwt, type JwtOptions } from "../../../../src/jwt.ts";
import { langgraphAuth } from "../../../../src/langgraph-auth.ts";
import { createRuntime } from "../../../../src/worker.ts";
import { Log } from "../../../support/log.ts";

/** What TypeScript would refuse, or cannot: options come from JavaScript and from variables, too. */

const graph = new StateGraph(Log)
  .addNode("end", () => ({}))
  .addEdge(START, "end")
  .addEdge("end", END)
  .compile();

const runtimeOf = (options: object) => createRuntime({ graphs: { graph }, ...options });
const invalid = (message: string | RegExp) =>
  expect.objectContaining({ code: "invalid_options", message: expect.stringMatching(message) });

describe("a Worker is not made of", () => {
  it.each<readonly [string, object, RegExp]>([
    ["a word written wrongly", { origin: [] }, /option "origin": Invalid key/],
    ["an Auth itself", { auth: new Auth() }, /option "auth": .*Function/],
    ["one origin that is no list", { origins: "https://app.example.com" }, /option "origins": .*Array/],
    ["an origin with a path", { origins: ["https://app.example.com/"] }, /option "origins.0": must be as in/],
    ["an origin in capitals", { origins: ["https://App.example.com"] }, /option "origins.0"/],
    ["the port that is the usual one", { origins: ["https://app.example.com:443"] }, /option "origins.0"/],
    ["any origin", { origins: ["*"] }, /option "origins.0"/],
    ["no origin", { origins: ["null"] }, /option "origins.0"/],
    ["a size in words", { maxBodySize: "10mb" }, /option "maxBodySize": .*number/],
    ["no size", { maxBodySize: Number.NaN }, /"maxBodySize"/],
    ["a limit that lets nothing through", { maxBodySize: 0 }, /"maxBodySize"/],
    ["half a byte", { inlineLimit: 0.5 }, /"inlineLimit"/],
    ["a lease without end", { lease: Infinity }, /"lease"/],
    ["a serializer that is not made of bindings", { serde: {} }, /option "serde": .*Function/],
    ["a binding of no name", { bindings: { rateLimiter: "" } }, /option "bindings.rateLimiter"/],
    ["a binding of no kind", { bindings: { limiter: "L" } }, /option "bindings.limiter": Invalid key/],
    ["no shards", { directory: { shards: 0 } }, /option "directory.shards"/],
    ["one path", { directory: { extract: "order.id" } }, /option "directory.extract": .*Array/],
    [
      "another form of errors",
      { compatibility: { errors: "xml" } },
      /option "compatibility.errors": .*"json" \| "text"/,
    ],
  ])("%s", (_, options, message) => {
    expect(() => runtimeOf(options)).toThrow(invalid(message));
  });

  it("is made where all of them are right, or undefined", () => {
    const origins = ["https://app.example.com", "http://10.0.0.1:8080", "capacitor://app"];
    expect(() =>
      runtimeOf({ origins, maxBodySize: 1, lease: 1, auth: undefined, bindings: { version: "V" } }),
    ).not.toThrow();
  });
});

it("a Worker serves nobody without the limits that it is to have", async () => {
  const ask = (options: object, env: object) =>
    runtimeOf({ auth: () => undefined, report: () => undefined, ...options }).fetch(
      new Request("https://agents.example.com/threads/t"),
      env,
      createExecutionContext(),
    );
  const named = { bindings: { rateLimiter: "LIMITER" } };
  expect((await ask({}, {})).status).toBe(401);
  expect((await ask(named, { LIMITER: { limit: () => ({ success: false }) } })).status).toBe(429);
  for (const [options, env] of [
    [named, {}],
    [{}, { RATE_LIMITER: "100 a minute" }],
  ] as const)
    expect((await ask(options, env)).status).toBe(500);
});

describe("jwt() refuses", () => {
  const good: JwtOptions = { keys: { keys: [] }, issuer: "https://id.example.com", audience: "agents" };
  it.each<readonly [string, object, RegExp]>([
    [
      "no audience, with which it would take tokens for others",
      { audience: undefined },
      /"audience" is missing/,
    ],
    ["an empty one", { audience: "" }, /"audience"/],
    ["no issuer", { issuer: undefined }, /"issuer" is missing/],
    ["a list of none", { issuer: [] }, /"issuer"/],
    ["no keys", { keys: undefined }, /"keys" is missing/],
    ["an address that is none", { keys: "id.example.com/jwks.json" }, /"keys" has to be the address/],
    ["one key that is no JWKS", { keys: { kty: "EC" } }, /"keys"/],
    [
      "a tenant that is written wrongly, without which all have one",
      { tennant: "org" },
      /no option "tennant"/,
    ],
    ["a claim without a name", { tenant: "" }, /"tenant"/],
    ["no algorithm", { algorithms: [] }, /"algorithms" has to be a list of texts/],
    ["one algorithm that is no list", { algorithms: "ES256" }, /"algorithms"/],
    ["a clock that differs by words", { clockTolerance: "5s" }, /"clockTolerance" has to be seconds/],
  ])("%s", (_, options, message) => {
    expect(() => jwt({ ...good, ...options })).toThrow(invalid(message));
    expect(() => jwt(good)).not.toThrow();
  });
});

describe("langgraphAuth() refuses", () => {
  const auth = () => new Auth().authenticate(() => ({ identity: "ann", permissions: [] }));

  it.each(["thread", "threads:write", "*:createRun", "threads.create"])(
    "a handler that would never be asked: %s",
    (event) => {
      const wrong = auth().on(event as "threads", () => false);
      expect(() => langgraphAuth(wrong)).toThrow(`its handler of "${event}" would never be asked`);
    },
  );

  it("a tenant that is no function", () => {
    const wrong = { tenant: "acme" } as unknown as Parameters<typeof langgraphAuth>[1];
    expect(() => langgraphAuth(auth(), wrong)).toThrow(invalid(/"tenant" has to be a function/));
  });

  it("no handler that is asked", () => {
    const right = auth()
      .on("*", () => false)
      .on("*:create_run", () => true)
      .on(["threads", "threads:create_run", "store:list_namespaces"], () => true);
    expect(() => langgraphAuth(right)).not.toThrow();
  });
});
