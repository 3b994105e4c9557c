import { describe, expect, it, vi } from "vitest";
import { routesOf } from "../../../../src/http/server/documentation-routes.ts";
import { PERMISSIONS } from "../../../../src/http/auth/permissions.ts";
import { openapi } from "../../../../src/openapi/index.ts";
import { VERSION } from "../../../../src/version.ts";
import type { Principal } from "../../../../src/worker.ts";
import { json, type RunAnswer } from "../../../support/threads.ts";
import { wholeApp } from "../../../support/whole-app.ts";
import { crons } from "../../schedules.ts";
import { type Call, codeOf, server } from "./server.ts";

const body = { input: { log: ["in"] } };

function principal(rest: Partial<Principal> = {}): Principal {
  return { tenant: "acme", caller: "ann", scopes: ["*"], ...rest };
}

describe("a function that authenticates", () => {
  it("says whose threads they are, from the request and the bindings", async () => {
    const call = server(
      {
        auth: (request, env) =>
          principal({ tenant: `${request.headers.get("x-org")}-${Reflect.get(env, "API_KEYS")}` }),
      },
      { API_KEYS: "here" },
    );
    const path = `/threads/${crypto.randomUUID()}`;
    await json(call(`${path}/invoke`, { headers: { "x-org": "a" }, body }));
    expect(await codeOf(await call(`${path}/state`, { headers: { "x-org": "b" } }))).toBe("thread_not_found");
    expect((await call(`${path}/state`, { headers: { "x-org": "a" } })).status).toBe(200);
  });

  it.for(["\u0000", "a\nb", "x".repeat(257), "\ud800"])("cannot name the tenant %j", async (tenant) => {
    for (const named of [principal({ tenant }), principal({ caller: tenant })]) {
      const response = await server({ auth: () => named })("/threads/x/state");
      expect([response.status, await codeOf(response)]).toEqual([500, "invalid_principal"]);
    }
  });

  it("says who answers also with an input that starts a run", async () => {
    const call = server({ auth: () => principal() });
    const path = `/threads/${crypto.randomUUID()}`;
    const asked = (await json(call(`${path}/invoke`, { body }))) as RunAnswer;
    const command = { id: 1, method: "run.start", params: { assistant_id: "ask", input: "yes" } };
    const told = await json(call(`${path}/commands`, { body: command }));
    const { run_id: runId } = (told as { result: { run_id: string } }).result;
    expect(await json(call(`${path}/runs/${runId}`))).toMatchObject({
      answers: [{ interrupt_id: asked.interrupts[0]?.id, answered_by: "ann" }],
    });
  });

  it("says who answers, whatever an answer says of it", async () => {
    const call = server({ auth: () => principal() });
    const path = `/threads/${crypto.randomUUID()}`;
    const asked = (await json(call(`${path}/invoke`, { body }))) as RunAnswer;
    const answer = { interrupt_id: asked.interrupts[0]?.id, value: "yes" };
    const answered = await json(call(`${path}/resume`, { body: { ...answer, answered_by: "bob" } }));
    expect(await json(call(`${path}/runs/${(answered as RunAnswer).run_id}`))).toMatchObject({
      answers: [
        {
          interrupt_id: answer.interrupt_id,
          checkpoint_id: asked.checkpoint_id,
          answered_by: "ann",
          on_behalf_of: "bob",
        },
      ],
    });
    const forged = await call(`${path}/resume`, { body: { ...answer, value: "no", answered_by: "timer" } });
    expect([forged.status, await codeOf(forged)]).toEqual([400, "invalid_request"]);
    const late = await call(`${path}/resume`, { body: { ...answer, value: "no" } });
    expect(await late.json()).toMatchObject({
      error: { details: { answered: [{ answered_by: "ann", on_behalf_of: "bob" }] } },
    });
  });

  it("that fails is a fault of the server, which says nothing of it", async () => {
    const reports: unknown[] = [];
    const fault = new Error("the password is 1234");
    const call = server({ auth: () => Promise.reject(fault), report: (error) => reports.push(error) });
    const response = await call("/threads/x/state");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("1234");
    expect(reports).toEqual([fault]);
  });

  it.for([
    [
      "at once",
      (fault: Error) => {
        throw fault;
      },
    ],
    ["later", (fault: Error) => Promise.reject(fault)],
  ] as const)("that fails is a fault of the server also where telling of it fails %s", async ([, fail]) => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    const faults = [new Error("no account"), new Error("nobody is there")] as const;
    const report = (): void => fail(faults[1]) as never;
    const response = await server({ auth: () => Promise.reject(faults[0]), report })("/threads/x/state");
    expect([response.status, await codeOf(response)]).toEqual([500, "internal"]);
    const told = error.mock.calls.map(([line]) => JSON.parse(String(line)) as { message: string });
    expect(told.map(({ message }) => message)).toEqual(faults.map(({ message }) => message));
    error.mockRestore();
  });

  it.for([null, "", 0, false])("that answers with %j says of nobody who they are", async (nobody) => {
    const response = await server({ auth: () => nobody as null })("/threads/x/state");
    expect([response.status, await codeOf(response)]).toEqual([401, "unauthenticated"]);
  });

  it.for([
    "ann",
    {},
    principal({ scopes: "*" as never }),
    principal({ scopes: [1] as never }),
    principal({ scopes: undefined as never }),
    principal({ authorize: true as never }),
    principal({ configurable: "x" as never }),
  ])("cannot answer with %j", async (answer) => {
    const response = await server({ auth: () => answer as Principal })("/threads/x/state");
    expect([response.status, await codeOf(response)]).toEqual([500, "invalid_principal"]);
  });

  it.for([
    undefined,
    null,
    "yes",
    1,
    [],
    [{}],
    { owner: undefined },
    { since: new Date() },
    { in: [() => 1] },
  ])("cannot authorize with %j: nothing may be done then", async (verdict) => {
    const call = server({ auth: () => principal({ authorize: async () => verdict as never }) });
    const path = `/threads/${crypto.randomUUID()}`;
    for (const response of [
      await call(`${path}/invoke`, { body }),
      await call(`${path}/state`),
      await call("/threads/search", { body: {} }),
    ])
      expect([response.status, await codeOf(response)]).toEqual([500, "invalid_auth"]);
    expect((await server({ auth: () => principal() })(path)).status).toBe(404);
  });

  it("that does not answer keeps nobody waiting for ever", async () => {
    vi.spyOn(scheduler, "wait").mockImplementation(async () => undefined);
    const never = new Promise<never>(() => undefined);
    const hanging = [{ auth: () => never }, { auth: () => principal({ authorize: () => never }) }];
    for (const options of hanging) {
      const response = await server(options)("/threads/x/state");
      expect([response.status, await codeOf(response)]).toEqual([503, "auth_unavailable"]);
    }
    vi.restoreAllMocks();
  });

  it("is not asked about /ok, nor about what a browser asks before a request", async () => {
    const call = server({ auth: () => undefined, origins: ["https://app.example.com"] });
    expect(await json(call("/ok"))).toEqual({ ok: true });
    expect(await json(call("/info"))).toMatchObject({ version: VERSION, flags: { assistants: true } });
    const preflight = (origin: string) =>
      call("/threads/x/invoke", {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      });
    const allowed = await preflight("https://app.example.com");
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "https://app.example.com",
    ]);
    const other = await preflight("https://app.example.com.evil.org");
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("scopes", () => {
  const cases: [string, number][] = [
    ["*", 404],
    ["threads:*", 404],
    ["*:read", 404],
    ["threads:read", 404],
    ["threads:update", 403],
    ["assistants:*", 403],
    ["*:create_run", 403],
    ["threads", 403],
    ["", 403],
  ];

  it.for(cases)('"%s" is answered with %i where threads:read is needed', async ([scope, status]) => {
    const call = server({ auth: () => principal({ scopes: [scope] }) });
    const id = crypto.randomUUID();
    expect((await call(`/threads/${id}/state`)).status).toBe(status);
    expect((await call(`/threads/${id}/state`, { method: "HEAD" })).status).toBe(status);
  });

  it("to read are not enough to cancel a run by leaving it, or to see values in a search", async () => {
    const call = server({
      auth: (request) => principal({ scopes: [request.headers.get("x-scope") ?? "*"] }),
    });
    const path = `/threads/${crypto.randomUUID()}`;
    const { run_id: id } = (await json(call(`${path}/invoke`, { body }))) as { run_id: string };
    const join = (query: string) =>
      call(`${path}/runs/${id}/join${query}`, { headers: { "x-scope": "threads:read" } });
    expect((await join("")).status).toBe(200);
    expect(await codeOf(await join("?cancel_on_disconnect=true"))).toBe("forbidden");
    const headers = { "x-scope": "threads:search" };
    const search = (select?: string[]) => call("/threads/search", { headers, body: { select } });
    expect((await search(["thread_id", "status"])).status).toBe(200);
    expect(await codeOf(await search())).toBe("forbidden");
  });

  it("are those of the route that answers, where several match, and of all that it does", async () => {
    let scopes = ["*"];
    const call = server({ auth: () => ({ ...principal(), scopes }), crons });
    const id = crypto.randomUUID();
    await json(call(`/threads/${id}/invoke`, { body: { input: { log: ["in"] } } }));
    const may = async (scope: string, path: string, request: Call = {}): Promise<number> => {
      scopes = [scope];
      return (await call(path, request)).status;
    };
    expect(await may("threads:read", `/threads/${id}/runs/crons`)).toBe(403);
    expect(await may("crons:read", `/threads/${id}/runs/crons`)).toBe(200);
    expect(await may("threads:create", `/threads/${id}/copy`, { body: {} })).toBe(403);
  });

  it.for(Object.entries(PERMISSIONS))(
    "all but the one that %s needs do not open it: %s",
    async ([route, needed]) => {
      const others = new Set(Object.values(PERMISSIONS));
      others.delete(needed);
      const call = server({ auth: () => principal({ scopes: [...others] }), crons, openapi: openapi() });
      const [method = "", pattern = ""] = route.split(" ");
      const path = pattern.replaceAll(/:\w+/g, () => crypto.randomUUID());
      const response = await call(path, { method, ...(method !== "GET" && { body: {} }) });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({
        error: { code: "forbidden", details: { permission: needed } },
      });
    },
  );

  it("are known for every route, and for no other", () => {
    const routes = new Set(routesOf(wholeApp()));
    // Sources of webhooks, and links, prove who they are by signatures of their own.
    const signed = ["POST /webhooks/:source", "GET /hooks/:token", "POST /hooks/:token"];
    for (const open of ["GET /ok", "GET /info", ...signed]) expect(routes.delete(open)).toBe(true);
    expect(Object.keys(PERMISSIONS).toSorted()).toEqual([...routes].toSorted());
  });
});

describe("a rate limiter that is bound", () => {
  it("counts the calls of each caller, and of each address from which nobody calls", async () => {
    const keys: string[] = [];
    const call = server(
      { auth: (request) => (request.headers.has("x-ann") ? principal() : undefined) },
      {
        RATE_LIMITER: {
          limit: async ({ key }) => {
            keys.push(key);
            return { success: keys.filter((other) => other === key).length <= 1 };
          },
        },
      },
    );
    const ann = { "x-ann": "1", "cf-connecting-ip": "203.0.113.7" };
    const nobody = { "cf-connecting-ip": "203.0.113.7" };
    const answers = [];
    for (const headers of [ann, nobody, ann, nobody])
      answers.push(await call("/threads/x/state", { headers }));
    expect(await Promise.all(answers.map(codeOf))).toEqual([
      "thread_not_found",
      "unauthenticated",
      "rate_limited",
      "rate_limited",
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 401, 429, 429]);
    expect(new Set(keys)).toEqual(new Set(['["caller","acme","ann"]', '["address","203.0.113.7"]']));
  });
});
