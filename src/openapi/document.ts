import type { DocumentedApp } from "../http/server/documentation-routes.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type DocumentedOperation, operationOf } from "./documented-operation.ts";
import { graphSchemasOf } from "./graph-schemas.ts";
import { OPERATIONS, type Tag, tagOf } from "./operations.ts";
import { SECURITY_SCHEMES } from "./security.ts";
import { ShownSchemas } from "./shown-schemas.ts";

/** What the document says of the API as a whole. */
export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

/** The parts of an OpenAPI document that this one has. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: DocumentInfo & { readonly license: object };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  /** By path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: object;
  };
}

/** The document of an app: of each of its routes, and of no other. */
export function documentOf({ routes, graphs }: DocumentedApp, info: DocumentInfo): OpenApiDocument {
  const documented = Object.entries(OPERATIONS).filter(([route]) => routes.has(route));
  const schemas = new ShownSchemas(documented.map(([, operation]) => operation));
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const [route, operation] of documented) {
    const [method = "", path = ""] = route.split(" ");
    const template = path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[template] ??= {})[method.toLowerCase()] = operationOf(route, operation, schemas);
  }
  const tags = new Set(documented.map(([route]) => tagOf(route)));
  return {
    openapi: "3.1.0",
    info: { ...info, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/" }],
    tags: [...tags].filter((tag) => tag !== undefined),
    paths,
    components: {
      schemas: { ...schemas.usedIn(paths), ...graphSchemasOf(graphs) },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
