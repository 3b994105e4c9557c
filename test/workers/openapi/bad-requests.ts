import type { OpenApiDocument } from "../../../src/openapi/document.ts";
import type { DocumentedOperation, Parameter } from "../../../src/openapi/documented-operation.ts";
import type { JsonSchema } from "../../../src/openapi/json-schema.ts";
import { Random } from "../../e2e/support/random.ts";
import { faultsOf } from "../../support/json-schema.ts";
import { NOT_JSON, spoiled, spoiledEach } from "./bad-bodies.ts";

/** A request that is wrong in one thing. */
export interface BadRequest {
  readonly what: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface Generation {
  readonly document: OpenApiDocument;
  readonly route: string;
  readonly operation: DocumentedOperation;
  /** What stands in the path of a good request, by the names of the parameters. */
  readonly values: Readonly<Record<string, string>>;
  readonly seed: number;
  /** How many bodies are tried at random. */
  readonly bodies: number;
  /** More than the server takes, in bytes. */
  readonly tooMuch: number;
}

/** The one that nothing is wrong with. */
export function goodRequest({ route, operation, values }: Generation): BadRequest {
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  return {
    what: "nothing",
    path: pathOf(route, values),
    ...(type !== undefined && {
      headers: { "content-type": type },
      body: content?.example === undefined ? "{}" : JSON.stringify(content.example),
    }),
  };
}

/** Requests that are to be refused, whoever makes them. */
export function badRequests(generation: Generation): readonly BadRequest[] {
  const { operation } = generation;
  return [
    ...badPaths(generation),
    ...(operation.parameters ?? []).flatMap((parameter) => badParameters(generation, parameter)),
    ...badContents(generation),
    ...eachBadBody(generation),
    ...badBodies(generation),
  ];
}

/** Bodies that the schema of the document takes, whatever they may mean. */
export function strangeRequests(generation: Generation): readonly BadRequest[] {
  return spoiledRequests(generation, (faults) => faults === 0);
}

function badBodies(generation: Generation): readonly BadRequest[] {
  return spoiledRequests(generation, (faults) => faults > 0);
}

function spoiledRequests(
  generation: Generation,
  isWanted: (faults: number) => boolean,
): readonly BadRequest[] {
  const { document, operation, bodies, seed } = generation;
  const { schema, example } = operation.requestBody?.content["application/json"] ?? {};
  if (schema === undefined) return [];
  const random = new Random(seed);
  const keys = keysOf(document, schema);
  const tried = Array.from({ length: bodies }, () => spoiled(example, keys, random));
  const wanted = tried.filter((body) => isWanted(faultsOf(document, schema, body).length));
  return wanted.map((spoilt) => {
    const body = JSON.stringify(spoilt);
    return { ...goodRequest(generation), what: `the body ${body.slice(0, 200)}`, body };
  });
}

/** Everything that a body can lack, or have wrong, at its first level: each once. */
function eachBadBody(generation: Generation): readonly BadRequest[] {
  const { document, operation } = generation;
  const { schema, example } = operation.requestBody?.content["application/json"] ?? {};
  if (schema === undefined) return [];
  const bad = new Map<string, unknown>();
  for (const { what, body } of spoiledEach(example, keysOf(document, schema))) {
    if (!bad.has(what) && faultsOf(document, schema, body).length > 0) bad.set(what, body);
  }
  const good = goodRequest(generation);
  return [...bad].map(([what, body]) => ({ ...good, what, body: JSON.stringify(body) }));
}

function badContents(generation: Generation): readonly BadRequest[] {
  const { operation, tooMuch } = generation;
  const good = goodRequest(generation);
  const content = operation.requestBody?.content;
  if (content === undefined) return [];
  // Plain text is taken for JSON, but not of pages elsewhere.
  const origin = "https://elsewhere.example.com";
  const types = ["text/plain", "multipart/form-data; boundary=x", "application/jsonp"].map((type) => ({
    ...good,
    what: `the type ${type}`,
    headers: { "content-type": type, origin },
  }));
  if (content["application/json"]?.schema === undefined) return types;
  const texts = Object.entries(NOT_JSON).map(([what, body]) => ({ ...good, what, body }));
  const body = JSON.stringify({ padding: "x".repeat(tooMuch) });
  return [...types, ...texts, { ...good, what: "a huge body", body }];
}

const NO_TEXT = ["%", "%f", "%ff", "%ED%A0%80"];
const UNKNOWN = [
  "nobody",
  "%00",
  "%0A",
  "-1",
  "null",
  "__proto__",
  "constructor",
  "..%2F..%2Fok",
  "%2Fetc%2Fpasswd",
];
const HOSTILE = ["'%20OR%201=1--", "%F0%9F%92%A9", "x".repeat(3000), "%25%32%46"];

/** What may stand in a path although nothing is known by it: a new thread, a new key, a namespace without graphs. */
const FREE = new Set(["key", "namespace"]);

function badPaths({ route, operation, values }: Generation): readonly BadRequest[] {
  const good = goodRequest({ route, operation, values } as Generation);
  return Object.keys(values).flatMap((name) => {
    if (!route.includes(`{${name}}`)) return [];
    const isNew = name === "thread_id" && WITHOUT_THREAD.has(operation.operationId);
    const texts = FREE.has(name)
      ? NO_TEXT
      : isNew
        ? [...NO_TEXT, "%00"]
        : [...NO_TEXT, ...UNKNOWN, ...HOSTILE];
    return texts.map((text) => ({
      ...good,
      what: `${name} ${text.slice(0, 20)}`,
      path: pathOf(route, { ...values, [name]: text }),
    }));
  });
}

/** Where a thread need not be there: it is made, or waited for. */
export const WITHOUT_THREAD: ReadonlySet<string> = new Set([
  "invoke",
  "stream",
  "createRun",
  "waitForRun",
  "streamRun",
  "importThread",
  "command",
  "threadEvents",
]);

/** Good ones but for what they name in their bodies and queries: all that there is of those ids, each by itself. */
export function namingRequests(
  generation: Generation,
  ids: Readonly<Record<string, string>>,
): readonly BadRequest[] {
  const { document, operation } = generation;
  const { thread_id: thread, run_id: run, checkpoint_id: checkpoint } = ids;
  const named: Readonly<Record<string, unknown>> = {
    ...ids,
    thread_ids: [thread],
    ids: [thread],
    run_ids: [run],
    before: checkpoint,
    checkpoint: { checkpoint_id: checkpoint },
    config: { configurable: { thread_id: thread, checkpoint_id: checkpoint } },
  };
  const good = goodRequest(generation);
  const queries = (operation.parameters ?? []).filter(
    ({ in: place, name }) => place === "query" && name in ids,
  );
  const { schema, example } = operation.requestBody?.content["application/json"] ?? {};
  const keys = schema === undefined ? [] : keysOf(document, schema).filter((key) => key in named);
  return [
    good,
    ...queries.map(({ name }) => ({ ...good, what: `?${name}`, path: `${good.path}?${name}=${ids[name]}` })),
    ...keys.map((key) => ({
      ...good,
      what: `the ${key}`,
      body: JSON.stringify(withKey(example, key, named[key])),
    })),
  ];
}

function withKey(example: unknown, key: string, value: unknown): unknown {
  if (Array.isArray(example)) return example.map((each) => withKey(each, key, value));
  return { ...(typeof example === "object" ? example : {}), [key]: value };
}

/** Paths that are almost that of the route. */
export function almostPaths({ route, values }: Generation): readonly string[] {
  const path = pathOf(route, values);
  const [, first = "", ...others] = path.split("/");
  const rest = ["", ...others].join("/");
  const beginnings = [
    `/${path}`,
    `//${first}/${rest}`,
    `/${first.toUpperCase()}${rest}`,
    `/nothing%2F..${path}`,
    `/..%2F${first}${rest}`,
    `/${first}%00${rest}`,
    `/${first};x=1${rest}`,
  ];
  // What may be any text takes these signs, too.
  if ([...FREE].some((name) => route.endsWith(`{${name}}`))) return beginnings;
  return [...beginnings, ...["/", "%2F", "%00", "%20", ".json", ";x=1", "\\"].map((end) => `${path}${end}`)];
}

function badParameters(
  generation: Generation,
  { name, in: place, schema }: Parameter,
): readonly BadRequest[] {
  const good = goodRequest(generation);
  if (place === "path") return [];
  if (place === "header") {
    return badHeaders(name).map((value) => ({
      ...good,
      what: `${name}: ${value.slice(0, 20)}`,
      headers: { ...good.headers, [name]: value },
    }));
  }
  const values = [...badValues(schema).map((value) => `${name}=${value}`), `${name}=a&unheard_of=1`];
  return values.map((query) => ({ ...good, what: `?${query}`, path: `${good.path}?${query}` }));
}

function badHeaders(name: string): readonly string[] {
  const values: Readonly<Record<string, readonly string[]>> = {
    "Idempotency-Key": ["has spaces", "", "x".repeat(256)],
    "If-Match": ["*", 'W/"x"', '"one", "two"'],
    "Last-Event-ID": ["x", "1-", "1-x", "-2", "9".repeat(40)],
  };
  return values[name] ?? [];
}

/** Texts that a parameter of the schema is not. */
function badValues({ type, enum: options, const: only }: JsonSchema): readonly string[] {
  if (type === "integer") return ["x", "-1", "1.5", "", "1e3", "99999999999", "NaN"];
  if (type === "boolean" || options !== undefined || only !== undefined) return ["nope", "null", "2"];
  return [];
}

/** The keys of an object, whichever of several it is. */
export function keysOf(document: OpenApiDocument, schema: JsonSchema | boolean): readonly string[] {
  const { properties = {}, anyOf = [] } = resolved(document, schema);
  return [...Object.keys(properties), ...anyOf.flatMap((option) => keysOf(document, option))];
}

/** Those of its keys that have to be there. */
export function requiredOf(document: OpenApiDocument, schema: JsonSchema): readonly string[] {
  const { required = [] } = resolved(document, schema);
  return required;
}

/** The commands of the protocol of threads: their methods, and the schemas of what they take. */
export function commandsOf(document: OpenApiDocument): readonly (readonly [string, JsonSchema])[] {
  const operation = document.paths["/threads/{thread_id}/commands"]?.["post"];
  const { schema } = operation?.requestBody?.content["application/json"] ?? {};
  const { anyOf = [] } = resolved(document, schema ?? false);
  return anyOf.map((command) => {
    const { method, params } = resolved(document, command).properties ?? {};
    const name = resolved(document, method ?? false).const;
    return [typeof name === "string" ? name : "", resolved(document, params ?? false)];
  });
}

function resolved(document: OpenApiDocument, schema: JsonSchema | boolean): JsonSchema {
  if (typeof schema === "boolean") return {};
  const name = schema.$ref?.split("/").at(-1);
  return (name && document.components.schemas[name]) || schema;
}

function pathOf(route: string, values: Readonly<Record<string, string>>): string {
  const [, template = ""] = route.split(" ");
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
