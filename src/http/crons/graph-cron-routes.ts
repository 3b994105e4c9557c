import type { Context } from "hono";
import { Hono } from "../hono.ts";
import { assistantIdOf } from "../../assistant-id.ts";
import type { JsonObject } from "../../directory/protocol.ts";
import { GRAPH_CRONS } from "../../graph-crons.ts";
import type { AppOptions } from "../app-options.ts";
import { contains } from "../../values/contains.ts";
import { authorizedMetadata } from "../auth/authorization.ts";
import { authorizeChangedRuns, authorizedCron } from "../auth/authorized-cron.ts";
import { parseBody } from "../requests/body.ts";
import { authorizedCronOf, authorizedCrons, keeperOf, readCron } from "./cron-access.ts";
import { threadOfCron } from "./cron-id.ts";
import {
  CountCronsBody,
  type CronFilter,
  cronPatch,
  cronRequest,
  GraphCronBody,
  PatchCronBody,
  SearchCronsBody,
} from "./cron-schemas.ts";
import { newId } from "../new-id.ts";
import { once } from "../once.ts";
import { pageOf, selected } from "../page.ts";
import { withAssistant } from "../runs/run-assistant.ts";
import { call, callWhole, jsonResponse, refusal } from "../thread-call.ts";
import { requireThreadId } from "../requests/thread-id.ts";

type Cron = JsonObject;

/** Crons by their ids, wherever they are kept, and those whose runs have threads of their own. */
export function graphCronRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/", async (context) => {
    const requested = await parseBody(context.req, GraphCronBody, options.maxBodySize);
    const { graph, body } = await withAssistant(context, options, requested);
    const { schedule, timezone, enabled, end_time: end, assistant_id: assistant } = body;
    const cron = {
      cronId: newId(context),
      schedule,
      timezone,
      enabled,
      endAt: end ?? undefined,
      assistant,
      threads: body.on_run_completed,
    };
    const asked = { ...cron, threadId: undefined };
    const request = await authorizedCron(context, asked, cronRequest(body, graph, "refuse"));
    const thread = keeperOf(context, options, GRAPH_CRONS);
    const create = { ...cron, ...thread.address, request };
    const make = async (): Promise<Response> =>
      jsonResponse(context, await call(thread, (api) => api.createCron(create)));
    return once(context, options, make, () => readCron(context, options, GRAPH_CRONS, cron.cronId));
  });

  app.patch("/:cron_id", async (context) => {
    const cronId = context.req.param("cron_id");
    const body = await parseBody(context.req, PatchCronBody, options.maxBodySize);
    const { metadata, ...said } = cronPatch(body);
    const keeper = threadOfCron(cronId);
    const threadId = keeper === GRAPH_CRONS ? undefined : keeper;
    const caller = await authorizeChangedRuns(context, { cronId, threadId, metadata }, said.request);
    const asked = {
      cron_id: cronId,
      schedule: body.schedule,
      payload: said.request,
      metadata: { ...metadata },
    };
    const { thread, named, authorized } = await authorizedCronOf(
      context,
      options,
      keeper,
      "crons:update",
      asked,
    );
    const patch = {
      ...named,
      ...said,
      ...caller,
      // Metadata that is not replaced stays as it was authorized before.
      ...(metadata && { metadata: authorizedMetadata(authorized.metadata) }),
    };
    return jsonResponse(context, await call(thread, (api) => api.patchCron(patch)));
  });

  app.delete("/:cron_id", async (context) => {
    const cronId = context.req.param("cron_id");
    const asked = { cron_id: cronId };
    const { thread, named } = await authorizedCronOf(
      context,
      options,
      threadOfCron(cronId),
      "crons:delete",
      asked,
    );
    const reply = await call(thread, (api) => api.deleteCron(named));
    return reply.ok ? context.body(null, 204) : refusal(context, reply);
  });

  app.route("/", cronSearchRoutes(options));
  return app;
}

function cronSearchRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/search", async (context) => {
    const body = await parseBody(context.req, SearchCronsBody, options.maxBodySize);
    const found = await findCrons(context, options, body);
    if (found instanceof Response) return found;
    const { sort_by: by, sort_order: order, select } = body;
    const sorted = found.toSorted((a, b) => compare(a[by], b[by]) || compare(a["cron_id"], b["cron_id"]));
    if (order === "desc") sorted.reverse();
    const page = pageOf(context, sorted, body);
    return context.json(select ? page.map((cron) => selected(cron, select)) : page);
  });

  app.post("/count", async (context) => {
    const body = await parseBody(context.req, CountCronsBody, options.maxBodySize);
    const found = await findCrons(context, options, body);
    return found instanceof Response ? found : context.json(found.length);
  });

  return app;
}

async function findCrons(
  context: Context,
  options: AppOptions,
  filter: CronFilter,
): Promise<readonly Cron[] | Response> {
  const { thread_id: threadId } = filter;
  const keeper = threadId == null ? GRAPH_CRONS : requireThreadId(threadId);
  const { thread, list } = await authorizedCrons(context, options, keeper, { ...filter });
  const reply = await callWhole(thread, (api) => api.listCrons(list));
  if (reply.ok) {
    // What the object has written as JSON.
    const crons = JSON.parse(new TextDecoder().decode(reply.value)) as readonly Cron[];
    return crons.filter((cron) => fits(cron, filter));
  }
  return reply.error.code === "thread_not_found" ? [] : refusal(context, reply);
}

function fits(cron: Cron, { assistant_id: assistant, enabled, metadata }: CronFilter): boolean {
  const { assistant_id: own } = cron;
  if (assistant != null && own !== assistant && own !== assistantIdOf(assistant)) return false;
  if (enabled != null && cron["enabled"] !== enabled) return false;
  return contains(cron["metadata"], metadata ?? {});
}

/** What is null comes first. */
function compare(a: unknown, b: unknown): number {
  const [first, second] = [textOf(a), textOf(b)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
