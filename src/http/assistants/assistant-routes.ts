import type { Context } from "hono";
import { Hono } from "../hono.ts";
import type {
  Assistant,
  AssistantFilter,
  AssistantOrder,
  AssistantPatch,
  AssistantView,
  AssistantsApi,
  JsonObject,
  NewAssistant,
} from "../../directory/protocol.ts";
import type { Outcome } from "../../directory/outcome.ts";
import { RefusedError } from "../../errors.ts";
import { drawnGraph, graphSchemas, subgraphSchemas } from "../../graph/described-graph.ts";
import type { AppOptions } from "../app-options.ts";
import {
  type AssistantFilterBody,
  CountAssistantsBody,
  type CreateAssistant,
  CreateAssistantBody,
  DeleteAssistantQuery,
  GraphQuery,
  LatestBody,
  MAX_ASSISTANT,
  type PatchAssistant,
  PatchAssistantBody,
  SearchAssistantsBody,
  SubgraphsQuery,
  VersionsBody,
} from "./assistant-schemas.ts";
import { accessTo, authorize, authorizedMetadata } from "../auth/authorization.ts";
import { givenOrNewId } from "../new-id.ts";
import { once } from "../once.ts";
import { pageOf, selected } from "../page.ts";
import { requirePermission } from "../auth/authentication.ts";
import { parseBody, parseQuery } from "../requests/body.ts";
import { deleteThreads } from "../threads/delete-threads.ts";
import { pathPart } from "../requests/path-part.ts";
import { errorResponse } from "../errors.ts";
import { directoryOf } from "../threads/search-routes.ts";
import { refusal } from "../thread-call.ts";

const SORTED = {
  assistant_id: "assistantId",
  graph_id: "graphId",
  name: "name",
  created_at: "createdAt",
  updated_at: "updatedAt",
} as const satisfies Record<string, AssistantOrder["by"]>;

const NEWEST_FIRST = { by: "createdAt", descending: true } as const;

/** Assistants: graphs with a configuration. Each graph has one by itself, whether or not a directory is bound. */
export function assistantRoutes(options: AppOptions): Hono {
  const app = new Hono();
  const graphs = (): readonly string[] => Object.keys(options.graphs);
  const view = viewOf(options);
  const assistants = assistantsOf(options);
  const read = readingOf(options);

  app.post("/", async (context) => {
    const body = await parseBody(context.req, CreateAssistantBody, MAX_ASSISTANT);
    requireGraph(body.graph_id, graphs());
    const assistant = newAssistant(context, body);
    const asked = { ...body, assistant_id: assistant.assistantId, metadata: { ...body.metadata } };
    const metadata = await authorizedOf(context, "assistants:create", asked);
    const make = async (): Promise<Response> => {
      const made = await assistants(context).createAssistant({ ...assistant, metadata }, view(context));
      return respond(context, made, wireAssistant);
    };
    return once(context, options, make, () => read(context, assistant.assistantId));
  });

  app.post("/search", async (context) => {
    const body = await parseBody(context.req, SearchAssistantsBody, MAX_ASSISTANT);
    const { sort_by: by, sort_order: order, select } = body;
    await authorize(context, "assistants:search", { ...body });
    const wanted = { by: SORTED[by], descending: order === "desc" };
    const found = await assistants(context).searchAssistants(filterOf(body), wanted, view(context));
    const page = pageOf(context, found, body).map(wireAssistant);
    return context.json(select ? page.map((each) => selected(each, select)) : page);
  });

  app.post("/count", async (context) => {
    const body = await parseBody(context.req, CountAssistantsBody, MAX_ASSISTANT);
    await authorize(context, "assistants:search", { ...body });
    const found = await assistants(context).searchAssistants(filterOf(body), NEWEST_FIRST, view(context));
    return context.json(found.length);
  });

  app.get("/:assistant_id", async (context) => {
    const id = context.req.param("assistant_id");
    return respond(context, await assistants(context).getAssistant(id, view(context)), wireAssistant);
  });

  app.patch("/:assistant_id", async (context) => {
    const id = context.req.param("assistant_id");
    const body = await parseBody(context.req, PatchAssistantBody, MAX_ASSISTANT);
    if (body.graph_id != null) requireGraph(body.graph_id, graphs());
    const asked = { ...body, assistant_id: id, metadata: { ...body.metadata } };
    const metadata = await authorizedOf(context, "assistants:update", asked);
    const patched = await assistants(context).patchAssistant(
      id,
      patchOf({ ...body, metadata }),
      view(context),
    );
    return respond(context, patched, wireAssistant);
  });

  app.delete("/:assistant_id", async (context) => {
    const { delete_threads: withThreads } = parseQuery(context.req, DeleteAssistantQuery);
    const id = context.req.param("assistant_id");
    if (withThreads) {
      requirePermission(context, "threads:delete");
      await authorize(context, "threads:delete", {});
      const found = await assistants(context).getAssistant(id, view(context));
      if (!found.ok) return errorResponse(context, found.error);
      const kept = await deleteThreads(context, options, { assistant_id: found.value.assistantId });
      if (kept !== undefined) return refusal(context, kept);
    }
    const removed = await assistants(context).removeAssistant(id, view(context));
    return removed.ok ? context.body(null, 204) : errorResponse(context, removed.error);
  });

  app.route("/", assistantVersionRoutes(options));
  return app;
}

/** What an assistant was before, and can be again. */
function assistantVersionRoutes(options: AppOptions): Hono {
  const app = new Hono();
  const view = viewOf(options);
  const assistants = assistantsOf(options);
  const read = readingOf(options);

  app.post("/:assistant_id/versions", async (context) => {
    const id = context.req.param("assistant_id");
    const { limit, offset, metadata } = await parseBody(context.req, VersionsBody, MAX_ASSISTANT);
    const found = await assistants(context).getAssistantVersions(id, view(context), metadata ?? {});
    return respond(context, found, (versions) => versions.slice(offset, offset + limit).map(wireAssistant));
  });

  app.post("/:assistant_id/latest", async (context) => {
    const id = context.req.param("assistant_id");
    const { version } = await parseBody(context.req, LatestBody, MAX_ASSISTANT);
    await authorize(context, "assistants:update", { assistant_id: id, version });
    const make = async (): Promise<Response> => {
      const set = await assistants(context).setLatestAssistant(id, version, view(context));
      return respond(context, set, wireAssistant);
    };
    return once(context, options, make, () => read(context, id));
  });

  return app;
}

function viewOf(options: AppOptions): (context: Context) => AssistantView {
  return (context) => ({ graphs: Object.keys(options.graphs), access: accessTo(context, "assistants") });
}

/** Answers a call that has come before with the assistant as it is now. */
function readingOf(options: AppOptions): (context: Context, id: string) => Promise<Response> {
  return async (context, id) => {
    requirePermission(context, "assistants:read");
    await authorize(context, "assistants:read", { assistant_id: id });
    const found = await assistantsOf(options)(context).getAssistant(id, viewOf(options)(context));
    return respond(context, found, wireAssistant);
  };
}

function assistantsOf(options: AppOptions): (context: Context) => AssistantsApi {
  return (context) => directoryOf(context, options);
}

/** What the graph of an assistant looks like. */
export function assistantGraphRoutes(options: AppOptions): Hono {
  const app = new Hono();
  const graphs = (): readonly string[] => Object.keys(options.graphs);

  const graphOf = async (context: Context) => {
    const id = context.req.param("assistant_id") ?? "";
    const access = accessTo(context, "assistants");
    const found = await directoryOf(context, options).getAssistant(id, { graphs: graphs(), access });
    if (!found.ok) throw new RefusedError(found.error.code, found.error.message, found.error);
    const { graphId } = found.value;
    const graph = options.graphs[graphId];
    if (graph === undefined) throw unknownGraph(graphId, graphs());
    return { graphId, graph };
  };

  app.get("/graph", async (context) => {
    const { xray } = parseQuery(context.req, GraphQuery);
    const { graphId, graph } = await graphOf(context);
    const drawn = drawnGraph(graph, xray);
    if (drawn !== undefined) return context.json(drawn);
    throw new RefusedError("not_found", `The graph "${graphId}" was made by hand and cannot be drawn.`);
  });

  app.get("/schemas", async (context) => {
    const { graphId, graph } = await graphOf(context);
    return context.json(graphSchemas(graphId, graph));
  });

  for (const path of ["/subgraphs", "/subgraphs/:namespace"]) {
    app.get(path, async (context) => {
      const { recurse } = parseQuery(context.req, SubgraphsQuery);
      const { graphId, graph } = await graphOf(context);
      const namespace = path === "/subgraphs" ? undefined : pathPart(context.req.path, 4);
      return context.json(subgraphSchemas(graphId, graph, namespace, recurse));
    });
  }

  return app;
}

/** The metadata that the assistant is to have. */
async function authorizedOf(
  context: Context,
  permission: string,
  asked: Record<string, unknown>,
): Promise<JsonObject> {
  const { metadata } = await authorize(context, permission, asked);
  return authorizedMetadata(metadata, MAX_ASSISTANT);
}

function respond<Value>(context: Context, outcome: Outcome<Value>, wire: (value: Value) => object): Response {
  return outcome.ok ? context.json(wire(outcome.value)) : errorResponse(context, outcome.error);
}

function wireAssistant(assistant: Assistant): Readonly<Record<string, unknown>> {
  const { assistantId, graphId, createdAt, updatedAt, ...said } = assistant;
  return {
    assistant_id: assistantId,
    graph_id: graphId,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
    ...said,
  };
}

function newAssistant(context: Context, body: CreateAssistant): NewAssistant {
  const { graph_id: graphId, assistant_id: id, if_exists: ifExists } = body;
  return {
    assistantId: givenOrNewId(context, id),
    graphId,
    config: jsonOf(body.config ?? {}),
    context: body.context ?? {},
    metadata: body.metadata ?? {},
    name: body.name ?? "Untitled",
    description: body.description ?? null,
    // One that follows from a key is there when the call was made before.
    ifExists: id == null ? "do_nothing" : ifExists,
  };
}

/** What a body has come with as JSON. */
function jsonOf(value: object): JsonObject {
  return value as JsonObject;
}

function filterOf({ graph_id: graphId, name, metadata }: AssistantFilterBody): AssistantFilter {
  return { ...(graphId && { graphId }), ...(name && { name }), ...(metadata && { metadata }) };
}

function patchOf({
  graph_id: graphId,
  config,
  context,
  metadata,
  name,
  description,
}: PatchAssistant): AssistantPatch {
  return {
    ...(graphId && { graphId }),
    ...(config && { config: jsonOf(config) }),
    ...(context && { context }),
    ...(metadata && { metadata }),
    ...(name != null && { name }),
    ...(description != null && { description }),
  };
}

function requireGraph(graphId: string, graphs: readonly string[]): void {
  if (!graphs.includes(graphId)) throw unknownGraph(graphId, graphs);
}

function unknownGraph(graphId: string, graphs: readonly string[]): RefusedError {
  const names = graphs.map((name) => `"${name}"`).join(", ");
  return new RefusedError("unknown_graph", `This deployment has no graph "${graphId}". It has: ${names}.`, {
    details: { graph: graphId },
  });
}
