import type { Content, DocumentedAnswer } from "./documented-answer.ts";
import { errorAnswers } from "./error-answers.ts";
import { type JsonSchema, querySchema } from "./json-schema.ts";
import type { Answer, Operation } from "./operation.ts";
import { tagOf } from "./operations.ts";
import { answerHeaders, PATH_PARAMETERS, REQUEST_HEADERS } from "./parameters.ts";
import { permissionOf, securityOf } from "./security.ts";
import type { ShownSchemas } from "./shown-schemas.ts";

/** An operation as OpenAPI has it. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  /** By status. */
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export function operationOf(route: string, operation: Operation, schemas: ShownSchemas): DocumentedOperation {
  const { id, summary, answers, answerHeaders: names = [] } = operation;
  const parameters = parametersOf(route, operation);
  const description = descriptionOf(route, operation);
  const body = bodyOf(operation, schemas);
  const headers = answerHeaders(names);
  const answered = Object.entries(answers).map(([status, answer]) => [
    status,
    { ...answerOf(answer, schemas), ...(names.length > 0 && answer !== null && { headers }) },
  ]);
  return {
    operationId: id,
    tags: [tagOf(route)?.name ?? ""],
    summary,
    ...(description !== "" && { description }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { ...Object.fromEntries(answered), ...errorAnswers(route, operation, schemas) },
  };
}

function descriptionOf(route: string, { description = "" }: Operation): string {
  const permission = permissionOf(route);
  const needed = permission === undefined ? "" : `Needs the permission \`${permission}\`.`;
  return [description, needed].filter((text) => text !== "").join(" ");
}

function parametersOf(route: string, { query, headers = [] }: Operation): readonly Parameter[] {
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name = ""]): Parameter => {
    const description = PATH_PARAMETERS[name];
    return {
      name,
      in: "path",
      required: true,
      ...(description !== undefined && { description }),
      schema: { type: "string" },
    };
  });
  const inHeaders = headers.map((name): Parameter => {
    const { description, schema } = REQUEST_HEADERS[name];
    return { name, in: "header", description, schema };
  });
  return [...inPath, ...(query ? queryParameters(querySchema(query)) : []), ...inHeaders];
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): readonly Parameter[] {
  return Object.entries(properties).map(([name, property]): Parameter => {
    const { description, ...schema } = typeof property === "boolean" ? {} : property;
    return {
      name,
      in: "query",
      ...(required.includes(name) && { required: true }),
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

function bodyOf({ body }: Operation, schemas: ShownSchemas): DocumentedOperation["requestBody"] {
  if (body === undefined) return undefined;
  if (!("schema" in body)) {
    return { required: true, description: body.description, content: { [body.contentType]: {} } };
  }
  const { schema, example } = body;
  return { content: { "application/json": { schema: schemas.of(schema), example } } };
}

function answerOf(answer: Answer, schemas: ShownSchemas): DocumentedAnswer {
  if (answer === null) return { description: "Done." };
  if ("kind" in answer)
    return { description: "Done.", content: { "application/json": { schema: schemas.of(answer) } } };
  const { contentType, description } = answer;
  return { description, content: { [contentType]: {} } };
}
