import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { routesOf } from "../../../src/http/server/documentation-routes.ts";
import { END, START, StateGraph } from "../../../src/index.ts";
import type { OpenApiDocument } from "../../../src/openapi/document.ts";
import type { DocumentedOperation } from "../../../src/openapi/documented-operation.ts";
import { PROPERTIES } from "../../../src/openapi/properties.ts";
import { faultsOf } from "../../support/json-schema.ts";
import { wholeApp } from "../../support/whole-app.ts";

const State = z.object({ order: z.string(), amount: z.number().optional() });
const refund = new StateGraph(State)
  .addNode("refund", () => ({ amount: 5 }))
  .addEdge(START, "refund")
  .addEdge("refund", END)
  .compile();

const app = wholeApp({ graphs: { refund } });
const document = await read(app);
const operations = operationsOf(document);

async function read(of: typeof app): Promise<OpenApiDocument> {
  const response = await of.request("http://localhost/openapi.json");
  return JSON.parse(await response.text()) as OpenApiDocument;
}

function operationsOf({ paths }: OpenApiDocument): readonly (readonly [string, DocumentedOperation])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]) =>
        [`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, operation] as const,
    ),
  );
}

/** Every object's properties, with where they stand. */
function propertiesIn(value: unknown, where = "#"): readonly (readonly [string, string, object])[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "properties" in value && "type" in value ? Object.entries(value.properties as object) : [];
  const found = own.map(([key, schema]) => [where, key, schema as object] as const);
  const inner = Object.entries(value).flatMap(([key, part]) => propertiesIn(part, `${where}/${key}`));
  return [...found, ...inner];
}

describe("the document of the API", () => {
  it("has every route of the router, and no other", () => {
    expect(operations.map(([route]) => route).toSorted()).toEqual([...routesOf(app)].toSorted());
    expect(operations.length).toBeGreaterThan(60);
  });

  it("has no route that the deployment does not serve", async () => {
    const without = operationsOf(await read(wholeApp({ hasCrons: false })));
    expect(without.filter(([route]) => route.includes("/crons"))).toEqual([]);
    expect(without.length).toBe(operations.filter(([route]) => !route.includes("/crons")).length);
  });

  it("is OpenAPI by the rules of a linter", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    // Words and parameters stand at the same place in paths, as on LangGraph's platform; graphs are for readers; what opens
    // a socket has no status of success.
    const known = new Set(["no-ambiguous-paths", "no-unused-components", "operation-2xx-response"]);
    expect(
      problems.filter(({ ruleId }) => !known.has(ruleId)).map(({ ruleId, message }) => [ruleId, message]),
    ).toEqual([]);
  });

  it("finds fault with a document that has one, when linted", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const source = JSON.stringify({ ...document, servers: [], paths: { "/x": { get: {} } } });
    const found = await lintFromString({ source, config });
    expect(found.map(({ ruleId }) => ruleId)).toContain("no-empty-servers");
  });

  it.each(operations.filter(([, { requestBody }]) => requestBody?.content["application/json"]?.schema))(
    "shows a body for %s that its schema takes",
    (_, { requestBody }) => {
      const { schema = {}, example } = requestBody?.content["application/json"] ?? {};
      expect(example).toBeDefined();
      expect(faultsOf(document, schema, example)).toEqual([]);
    },
  );

  it("says of every key of bodies and queries what it means", () => {
    const bodies = Object.entries(document.components.schemas).filter(([name]) => name.endsWith("Body"));
    const said = bodies.flatMap(([name, schema]) => propertiesIn(schema, name));
    expect(said.length).toBeGreaterThan(100);
    const silent = said.filter(
      ([where, , schema]) => !where.startsWith("ErrorBody") && !("description" in schema),
    );
    expect(silent.map(([where, key]) => `${where} ${key}`)).toEqual([]);
    const parameters = operations.flatMap(([, operation]) => operation.parameters ?? []);
    expect(parameters.filter(({ description }) => description === undefined)).toEqual([]);
  });

  it("explains no key that there is not", () => {
    const keys = new Set(propertiesIn(document).map(([, key]) => key));
    const parameters = new Set(
      operations.flatMap(([, { parameters: own = [] }]) => own.map(({ name }) => name)),
    );
    expect(Object.keys(PROPERTIES).filter((key) => !keys.has(key) && !parameters.has(key))).toEqual([]);
  });

  it("says what each operation needs, and which errors it may answer with", () => {
    const { invoke, getHealth, patchThread, command } = Object.fromEntries(
      operations.map(([, operation]) => [operation.operationId, operation]),
    );
    expect(invoke?.security).toEqual([
      { bearer: ["threads:create_run"] },
      { apiKey: ["threads:create_run"] },
    ]);
    expect(getHealth?.security).toEqual([]);
    expect(invoke?.responses["409"]?.["x-codes"]).toContain("thread_interrupted");
    const headersOf = (operation: typeof invoke): readonly string[] =>
      (operation?.parameters ?? []).flatMap((parameter) =>
        parameter.in === "header" ? [parameter.name] : [],
      );
    const starting = ["Idempotency-Key", "If-Match", "traceparent"];
    const ofRuns = operations.filter(
      ([, { operationId, security }]) =>
        security[0]?.["bearer"]?.[0] === "threads:create_run" && operationId !== "sendEvent",
    );
    expect(ofRuns).toHaveLength(10);
    for (const [route, operation] of ofRuns) expect(headersOf(operation), route).toEqual(starting);
    expect(headersOf(command)).toEqual(starting);
    expect(headersOf(patchThread)).toEqual(["Prefer"]);
  });

  it("has the parameters of queries as they are meant", () => {
    const { listRuns } = Object.fromEntries(
      operations.map(([, operation]) => [operation.operationId, operation]),
    );
    const schemas = Object.fromEntries(
      (listRuns?.parameters ?? []).map(({ name, schema }) => [name, schema]),
    );
    expect(schemas).toMatchObject({
      limit: { type: "integer", minimum: 1, maximum: 1000, default: 10 },
      offset: { type: "integer", minimum: 0, default: 0 },
      status: { enum: ["pending", "running", "success", "error", "interrupted", "timeout"] },
    });
  });

  it("takes null for what may be left out, where clients of LangGraph send it", () => {
    const schema = document.components.schemas["RunCreateBody"] ?? {};
    expect(faultsOf(document, schema, { assistant_id: "a", input: null, checkpoint: null })).toEqual([]);
    expect(faultsOf(document, schema, { assistant_id: 5 })).not.toEqual([]);
    expect(faultsOf(document, schema, { unheard_of: 5 })).not.toEqual([]);
  });

  it("has the schemas of the deployed graphs", () => {
    const { "graph.refund.input": input } = document.components.schemas;
    expect(input).toMatchObject({ type: "object", properties: { order: { type: "string" } } });
  });
});

describe("the page of the document", () => {
  it("shows each operation, with a command that calls it", async () => {
    const response = await app.request("http://localhost/docs");
    expect(response.headers.get("content-type")).toMatch(/^text\/html/);
    const text = await response.text();
    for (const [, { operationId }] of operations) expect(text).toContain(`<details id="${operationId}">`);
    expect(text).toContain("curl &quot;$TIDEMARK/threads/$thread_id/invoke&quot;");
  });

  it("runs and loads nothing, and shows names as text", async () => {
    const response = await wholeApp({ graphs: { "<script>": refund } }).request("http://localhost/docs");
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    expect(await response.text()).not.toMatch(/<script|src=|@import|url\(/);
  });
});
