import { Hono } from "../hono.ts";
import type { RunnableGraph } from "../../pregel/runnable-graph.ts";

/** What the document of the API is made from. */
export interface DocumentedApp {
  /** As in "GET /threads/:thread_id". */
  readonly routes: ReadonlySet<string>;
  readonly graphs: Readonly<Record<string, RunnableGraph>>;
}

export interface Description {
  /** As OpenAPI. */
  readonly document: object;
  /** HTML. */
  page(): string | Promise<string>;
}

/** Describes the API, as a document and as a page: `openapi()` of `tidemark/openapi`. */
export interface Documentation {
  /** Whether everybody may see it, not only those who may use the server. */
  readonly isPublic: boolean;
  describe(app: DocumentedApp): Description;
}

export interface DocumentationRouteOptions {
  readonly documentation?: Documentation | undefined;
  readonly graphs: DocumentedApp["graphs"];
}

const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
} as const;

/** What the server says of itself: the routes of `app`, as a document and as a page. */
export function documentationRoutes(
  documentation: Documentation,
  { graphs }: DocumentationRouteOptions,
  app: Hono,
): Hono {
  let made: Description | undefined;
  // Not before a request asks for it: then the routes are all there.
  const described = (): Description => (made ??= documentation.describe({ graphs, routes: routesOf(app) }));
  return new Hono()
    .get("/openapi.json", (context) => context.json(described().document))
    .get("/docs", async (context) => context.html(await described().page(), 200, PAGE_HEADERS));
}

/** Middleware apart. */
export function routesOf(app: Hono): ReadonlySet<string> {
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  return new Set(routes.map(({ method, path }) => `${method} ${path}`));
}
