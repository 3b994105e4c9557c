import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/gate.ts";
import { mintHook } from "../../../src/hooks/hook-token.ts";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import type { OpenApiDocument } from "../../../src/openapi/document.ts";
import { openapi } from "../../../src/openapi/index.ts";
import { toHex } from "../../../src/hex.ts";
import { jwt } from "../../../src/jwt.ts";
import { apiKeys, type ApiKey, type Authenticate, createRuntime } from "../../../src/worker.ts";
import { Log } from "../../support/log.ts";
import type { RunAnswer } from "../../support/threads.ts";
import { announcing, deploy, hookKeys } from "../graphs.ts";
import { crons } from "../schedules.ts";
import { eventSchemas, webhooks } from "../senders.ts";
import { wholeApp } from "../../support/whole-app.ts";
import { faultsOf } from "../../support/json-schema.ts";
import { spoiledEach } from "./bad-bodies.ts";
import {
  almostPaths,
  type BadRequest,
  badRequests,
  commandsOf,
  WITHOUT_THREAD,
  type Generation,
  goodRequest,
  keysOf,
  namingRequests,
  requiredOf,
  strangeRequests,
} from "./bad-requests.ts";
import { bytesOf, DocumentedAnswers } from "./documented-answers.ts";

/** What nobody but its tenant may read. */
const SECRET = "the-secret-of-acme";

const support = new StateGraph(Log)
  .addNode("ask", ({ log }) => ({ log: [String(interrupt({ question: log.at(-1) }))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

const MAX_BODY = 100_000;
const EXPIRED = "2026-01-01T00:00:00Z";

async function keyed(key: string, rest: Partial<ApiKey>): Promise<ApiKey> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return { hash: toHex(new Uint8Array(digest)), name: key, ...rest };
}

const KEYS = await Promise.all([
  keyed("acme", { tenant: "acme" }),
  keyed("other", { tenant: "other" }),
  keyed("expired", { tenant: "acme", expires_at: EXPIRED }),
  keyed("powerless", { tenant: "acme", scopes: ["nothing:at_all"] }),
]);

const signing = await generateKeyPair("ES256");
const forging = await generateKeyPair("ES256");
const issued = { issuer: "https://id.example.com", audience: "agents" };
const signed = jwt({
  ...issued,
  keys: { keys: [{ ...(await exportJWK(signing.publicKey)), alg: "ES256" }] },
  tenant: "org",
  scopes: "scope",
});

/** A token that would open everything of the tenant. */
function tokenOf(claims: Record<string, unknown>, key = signing.privateKey): Promise<string> {
  const all = { iss: issued.issuer, aud: issued.audience, sub: "ann", org: "acme", scope: "*", ...claims };
  return new SignJWT(all).setProtectedHeader({ alg: "ES256" }).sign(key);
}

const SOON = Math.floor(Date.now() / 1000) + 3600;
const TOKEN = await tokenOf({ exp: SOON });
const [HEADER = "", CLAIMS = "", SIGNATURE = ""] = TOKEN.split(".");
const [, OTHER_CLAIMS = ""] = (await tokenOf({ exp: SOON, sub: "bob" })).split(".");
const UNSIGNED = `${btoa('{"alg":"none"}').replaceAll("=", "")}.${CLAIMS}.`;

const keysOfTenants = apiKeys(() => KEYS);
/** Whoever has a key, or a token. */
const auth: Authenticate = (request, bindings) =>
  request.headers.get("authorization")?.includes(".") === true
    ? signed(request, bindings)
    : keysOfTenants(request, bindings);

const faulted: unknown[] = [];
const runtime = createRuntime({
  graphs: { support },
  auth,
  maxBodySize: MAX_BODY,
  crons,
  eventSchemas,
  webhooks,
  directory: { shards: 2 },
  hooks: { keys: () => hookKeys, origin: "http://localhost" },
  openapi: openapi(),
  report: (error) => faulted.push(error),
});

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
}

async function send(path: string, { method, headers = {}, body }: Sent = {}): Promise<Response> {
  const request = new Request(`https://agents.example.com${path}`, {
    method: method ?? "GET",
    headers,
    ...(body !== undefined && { body }),
  });
  return runtime.fetch(request, env, createExecutionContext());
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

const ACME = bearer("acme");

async function acme<Body = unknown>(method: string, path: string, body?: unknown): Promise<Body> {
  const response = await send(path, {
    method,
    headers: { ...ACME, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status, path).toBeLessThan(300);
  return (response.status === 204 ? null : await response.json()) as Body;
}

/** All that a tenant can read of what it has. */
async function everything(): Promise<unknown> {
  const { thread_id: id } = values;
  const ofThread = ["", "/state", "/history", "/runs", "/runs/crons", "/deliveries"];
  const [usage, questions, threads, ...others] = await Promise.all([
    acme<Record<string, unknown>>("GET", `/threads/${id}/usage`),
    acme("GET", "/interrupts"),
    acme("POST", "/threads/search", { sort_by: "thread_id" }),
    acme("POST", "/assistants/search", {}),
    acme("POST", "/runs/crons/search", {}),
    acme("POST", "/store/items/search", {}),
    ...ofThread.map((path) => acme("GET", `/threads/${id}${path}`)),
  ]);
  // The size of the database is no matter: pages are free or not.
  const { rows, runs, timers } = usage;
  return { usage: { rows, runs, timers }, questions, threads, others };
}

/** What stands in the paths of good requests. */
const values: Record<string, string> = {};
let before: unknown;

const document = JSON.parse(
  await (await wholeApp().request("http://localhost/openapi.json")).text(),
) as OpenApiDocument;
const answers = new DocumentedAnswers(document);

beforeAll(async () => {
  announcing.isOn = true;
  deploy({ support });
  const id = crypto.randomUUID();
  const input = { log: [SECRET] };
  const paused = await acme<RunAnswer>("POST", `/threads/${id}/invoke`, { input });
  const hook = { tenant: "acme", threadId: id, checkpointId: paused.checkpoint_id, nonce: "n" };
  const interruptId = paused.interrupts[0]?.id ?? "";
  const cron = { schedule: "every 86400000", input };
  const { cron_id } = await acme<{ cron_id: string }>("POST", `/threads/${id}/runs/crons`, cron);
  await acme("POST", "/runs/crons", { ...cron, assistant_id: "support" });
  const assistant = { graph_id: "support", context: { secret: SECRET } };
  const { assistant_id } = await acme<{ assistant_id: string }>("POST", "/assistants", assistant);
  await acme("PUT", "/store/items", { namespace: ["a"], key: "k", value: { secret: SECRET } });
  Object.assign(values, {
    thread_id: id,
    run_id: paused.run_id,
    checkpoint_id: paused.checkpoint_id,
    cron_id,
    assistant_id,
    namespace: "ask",
    key: "other",
    source: "github",
    token: `${await mintHook(hookKeys, { ...hook, interruptId, expires: Date.now() + 60_000 })}x`,
  });
  const usage = (): Promise<{ timers: object }> => acme("GET", `/threads/${id}/usage`);
  await until(async () => !("announcement" in (await usage()).timers));
  before = await everything();
});

afterAll(() => {
  announcing.isOn = false;
});

function generationOf(route: string): Generation {
  const operation = answers.operations.get(route);
  if (operation === undefined) throw new Error(`No such route: ${route}`);
  const [seed, bodies] = [MODEL_FIRST_SEED + route.length, BAD_BODIES];
  return { document, route, operation, values, seed, bodies, tooMuch: MAX_BODY };
}

/** What is wrong with how the request was answered. */
async function faultsIn(
  route: string,
  { what, path, headers, body }: BadRequest,
  key: Readonly<Record<string, string>>,
  isRight: (status: number) => boolean,
): Promise<readonly string[]> {
  const [method = ""] = route.split(" ");
  const response = await send(path, {
    method,
    headers: { ...headers, ...key },
    ...(body !== undefined && { body }),
  });
  const isEndless = response.headers.get("content-type") === "text/event-stream";
  const text = new TextDecoder().decode(isEndless ? await bytesOf(response) : await response.bytes());
  const isCommandRefused = response.ok && text.startsWith('{"type":"error"');
  const found = [
    ...(isRight(isCommandRefused ? 400 : response.status)
      ? []
      : [`is answered ${response.status}: ${text.slice(0, 200)}`]),
    ...(response.status >= 400 ? answers.faults(route, response, text) : []),
    ...(key !== ACME && text.includes(SECRET) ? ["shows what is another's"] : []),
    ...(/\n\s+at |\.ts:\d|node_modules|sqlite/i.test(text)
      ? [`shows what is inside: ${text.slice(0, 400)}`]
      : []),
  ];
  return found.map((fault) => `${route} with ${what} ${fault}`);
}

async function nothingHasChanged(): Promise<void> {
  const was = before;
  before = await everything();
  expect(before).toEqual(was);
}

/** They take any JSON. */
const OF_ANY_FORM: ReadonlySet<string> = new Set([
  "POST /threads/{thread_id}/events/{key}",
  "POST /hooks/{token}",
]);
/** Takes keys that nobody knows of. */
const OPEN: ReadonlySet<string> = new Set(["POST /threads/{thread_id}/commands"]);

/** What bodies have to be tried with, and are not. */
function untriedOf(route: string, requests: readonly BadRequest[]): readonly string[] {
  const { schema } = generationOf(route).operation.requestBody?.content["application/json"] ?? {};
  if (schema === undefined || OF_ANY_FORM.has(route)) return [];
  const required = requiredOf(document, schema).map((key) => `no ${key}`);
  const kinds = ["a wrong ", ...required, ...(OPEN.has(route) ? [] : ["a key too many"])];
  return kinds.filter((kind) => !requests.some(({ what }) => what.startsWith(kind)));
}

const isRefused = (status: number): boolean => status >= 400 && status < 500;
const routes = [...answers.operations.keys()];
const guarded = routes.filter((route) => (answers.operations.get(route)?.security.length ?? 0) > 0);

describe.each(routes)("%s", { timeout: 30_000 }, (route) => {
  it("refuses what it cannot take, changes nothing and shows nothing", async () => {
    const requests = badRequests(generationOf(route));
    expect(untriedOf(route, requests)).toEqual([]);
    const faults: string[] = [];
    for (const request of requests) faults.push(...(await faultsIn(route, request, ACME, isRefused)));
    expect(faults).toEqual([]);
    expect(faulted.splice(0)).toEqual([]);
    await nothingHasChanged();
  });
});

/** Good ones, by their methods. */
const COMMANDS: Readonly<Record<string, object>> = {
  "run.start": { assistant_id: "support", input: { log: [] } },
  "input.respond": { interrupt_id: "i", response: "yes" },
  "state.fork": { checkpoint_id: "c" },
  "state.get": {},
  "state.listCheckpoints": {},
  "agent.getTree": {},
};

describe("the commands of a thread", () => {
  const route = "POST /threads/{thread_id}/commands";

  it("are all here", () => {
    expect(Object.keys(COMMANDS).toSorted()).toEqual(
      commandsOf(document)
        .map(([method]) => method)
        .toSorted(),
    );
  });

  it.each(commandsOf(document))(
    "%s refuses what it cannot take",
    { timeout: 30_000 },
    async (method, schema) => {
      const faults: string[] = [];
      const refused: string[] = [];
      for (const { what, body } of spoiledEach(COMMANDS[method], keysOf(document, schema))) {
        if (refused.includes(what) || faultsOf(document, schema, body).length === 0) continue;
        refused.push(what);
        const command = { ...goodRequest(generationOf(route)), what: `${method}: ${what}` };
        const request = { ...command, body: JSON.stringify({ id: 1, method, params: body }) };
        faults.push(...(await faultsIn(route, request, ACME, isRefused)));
      }
      expect(faults).toEqual([]);
      expect(refused).toContain("a key too many");
      await nothingHasChanged();
    },
  );
});

const isUnknown = (status: number): boolean => status === 401;
const isForbidden = (status: number): boolean => status === 403;
const isServed = (status: number): boolean => status < 500;

type Stranger = readonly [
  who: string,
  key: Readonly<Record<string, string>>,
  isRight: (status: number) => boolean,
];

/** None of them is asked who it is. */
const PROXIED: Readonly<Record<string, string>> = {
  "x-forwarded-host": "localhost",
  "x-forwarded-for": "127.0.0.1",
  "mf-original-url": "http://localhost/",
  "x-original-url": "/ok",
  "x-http-method-override": "GET",
  "x-auth-scheme": "langsmith",
  "x-tenant-id": "acme",
};

const STRANGERS: readonly Stranger[] = [
  ["no key", {}, isUnknown],
  ["a forged key", bearer("forged"), isUnknown],
  ["an expired key", bearer("expired"), isUnknown],
  ["another scheme", { authorization: "Basic YWNtZTo=" }, isUnknown],
  ["a forged key in its own header", { "x-api-key": "forged" }, isUnknown],
  ["no key, but what proxies say of a request", PROXIED, isUnknown],
  ["two keys in one header", bearer("acme, Bearer other"), isUnknown],
  ["an endless key", bearer("x".repeat(30_000)), isUnknown],
  ["a key without the permission", bearer("powerless"), isForbidden],
  ["an expired token", bearer(await tokenOf({ exp: SOON - 7200 })), isUnknown],
  ["a token of another issuer's key", bearer(await tokenOf({ exp: SOON }, forging.privateKey)), isUnknown],
  ["a token for another service", bearer(await tokenOf({ exp: SOON, aud: "mail" })), isUnknown],
  ["a token that nobody signed", bearer(UNSIGNED), isUnknown],
  ["a token with other claims", bearer(`${HEADER}.${OTHER_CLAIMS}.${SIGNATURE}`), isUnknown],
  ["a token without the permission", bearer(await tokenOf({ exp: SOON, scope: "x:y" })), isForbidden],
];

describe.each(guarded)("%s", { timeout: 30_000 }, (route) => {
  it("serves nobody who may not call it, and shows and changes nothing of another tenant", async () => {
    const request = goodRequest(generationOf(route));
    const { operationId } = answers.operations.get(route) ?? {};
    const isOfOne = /\{(?:thread|run|cron)_id\}/.test(route) && !WITHOUT_THREAD.has(operationId ?? "");
    const strangers = [
      ...STRANGERS,
      ["another tenant", bearer("other"), isOfOne ? isRefused : isServed] as const,
    ];
    const faults: string[] = [];
    for (const [what, key, isRight] of strangers)
      faults.push(...(await faultsIn(route, { ...request, what }, key, isRight)));
    expect(faults).toEqual([]);
    await nothingHasChanged();
  });
});

describe.each(guarded)("%s", { timeout: 30_000 }, (route) => {
  it("shows and changes nothing of another tenant whose ids are named beside an own thread", async () => {
    const own = { ...values, thread_id: crypto.randomUUID() };
    const generation = { ...generationOf(route), values: own };
    const faults: string[] = [];
    for (const request of namingRequests(generation, values)) {
      const body = JSON.stringify({ input: { log: ["own"] } });
      const headers = { ...bearer("other"), "content-type": "application/json" };
      await send(`/threads/${own.thread_id}/invoke`, { method: "POST", headers, body });
      faults.push(...(await faultsIn(route, request, bearer("other"), isServed)));
    }
    expect(faults).toEqual([]);
    expect(faulted.splice(0)).toEqual([]);
    await nothingHasChanged();
  });
});

describe.each(routes)("%s", { timeout: 30_000 }, (route) => {
  it("is not reached on a path that is almost its own, with a key or without", async () => {
    const generation = generationOf(route);
    const [method = ""] = route.split(" ");
    const faults: string[] = [];
    for (const path of almostPaths(generation)) {
      const { headers, body } = goodRequest(generation);
      for (const key of [ACME, {}]) {
        const sent = { method, headers: { ...headers, ...key }, ...(body !== undefined && { body }) };
        const response = await send(path, sent);
        const text = await response.text();
        // Links are for people: what they are refused for is a page.
        const isTold = text.includes('"code"') || route === "GET /hooks/{token}";
        const isRight = isRefused(response.status) && isTold && !text.includes(SECRET);
        if (!isRight) faults.push(`${path} is answered ${response.status}: ${text.slice(0, 100)}`);
      }
    }
    expect(faults).toEqual([]);
    expect(faulted.splice(0)).toEqual([]);
    await nothingHasChanged();
  });
});

const METHODS = ["HEAD", "OPTIONS", "GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"];

describe.each(Object.keys(document.paths))("%s", { timeout: 30_000 }, (template) => {
  it("takes no other methods than it documents, whatever a header says, and shows nothing to others", async () => {
    const faults: string[] = [];
    const documented = METHODS.filter((method) => routes.includes(`${method} ${template}`));
    for (const method of METHODS.filter((each) => !documented.includes(each))) {
      const { path } = goodRequest(generationOf(`${documented[0]} ${template}`));
      const headers = { "x-http-method-override": documented[0] ?? "" };
      for (const key of [ACME, bearer("other"), {}]) {
        const response = await send(path, { method, headers: { ...headers, ...key } });
        const text = await response.text();
        // A page asks before it calls, and a HEAD is a GET without its answer.
        const isTaken = method === "OPTIONS" || (method === "HEAD" && documented.includes("GET"));
        const isRight = isTaken ? response.status < 500 && text === "" : isRefused(response.status);
        if (!isRight || text.includes(SECRET))
          faults.push(`${method} is answered ${response.status}: ${text}`);
      }
    }
    expect(faults).toEqual([]);
    expect(faulted.splice(0)).toEqual([]);
    await nothingHasChanged();
  });
});

describe.each(routes)("%s", { timeout: 30_000 }, (route) => {
  it("answers as documented whatever its document takes, without a fault of its own", async () => {
    const faults: string[] = [];
    for (const request of strangeRequests(generationOf(route)))
      faults.push(...(await faultsIn(route, request, bearer("other"), () => true)));
    expect(faults).toEqual([]);
    expect(faulted.splice(0)).toEqual([]);
    await nothingHasChanged();
  });
});

it("lets the bearer of a token in that is right", async () => {
  const good = await send(`/threads/${values["thread_id"]}/state`, { headers: bearer(TOKEN) });
  expect([good.status, await good.text()]).toEqual([200, expect.stringContaining(SECRET)]);
});

describe("a link", () => {
  it("that is forged, expired or another's answers nothing", async () => {
    const { thread_id: threadId = "", checkpoint_id: checkpointId = "" } = values;
    const hook = { tenant: "acme", threadId, checkpointId, interruptId: "i", nonce: "n" };
    const forged = [{ id: "first", secret: "the secret of somebody else, and longer" }];
    const soon = Date.now() + 60_000;
    const tokens = [
      await mintHook(hookKeys, { ...hook, expires: Date.now() - 1 }),
      await mintHook(forged, { ...hook, expires: soon }),
      await mintHook(hookKeys, { ...hook, tenant: "other", expires: soon }),
    ];
    for (const token of tokens) {
      for (const [method, body] of [
        ["GET", undefined],
        ["POST", '"yes"'],
      ] as const) {
        const headers: Record<string, string> =
          body === undefined ? {} : { "content-type": "application/json" };
        const request = { what: token, path: `/hooks/${token}`, headers, ...(body && { body }) };
        expect(await faultsIn(`${method} /hooks/{token}`, request, {}, isRefused)).toEqual([]);
      }
    }
    await nothingHasChanged();
  });
});
