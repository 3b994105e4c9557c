import { type Context, Hono } from "hono";
import type { AppOptions } from "./app.ts";
import { parseBody } from "./body.ts";
import { GRAPH_CRONS, threadOfCron } from "./cron-id.ts";
import {
  CountCronsBody,
  type CronFilter,
  cronPatch,
  cronRequest,
  GraphCronBody,
  PatchCronBody,
  SearchCronsBody,
} from "./cron-schemas.ts";
import { newId } from "./new-id.ts";
import { withAssistant } from "./run-assistant.ts";
import { call, callWhole, jsonResponse, namedThread, refusal, type RequestedThread } from "./thread-call.ts";
import { requireThreadId } from "./thread-id.ts";

type Cron = Readonly<Record<string, unknown>>;

/** Crons by their ids, wherever they are kept, and those whose runs have threads of their own. */
export function graphCronRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/", async (context) => {
    const thread = namedThread(context, options, GRAPH_CRONS);
    const requested = await parseBody(context.req, GraphCronBody, options.maxBodySize);
    const { graph, body } = await withAssistant(context, options, requested);
    const { schedule, timezone, enabled, end_time: endAt, assistant_id: assistant } = body;
    const create = {
      ...thread.address,
      cronId: newId(context),
      schedule,
      timezone,
      enabled,
      endAt: endAt ?? undefined,
      assistant,
      threads: body.on_run_completed,
      request: cronRequest(body, graph, "refuse"),
    };
    return jsonResponse(context, await call(thread, (api) => api.createCron(create)));
  });

  app.patch("/:cron_id", async (context) => {
    const { thread, named } = requestedCron(context, options);
    const body = await parseBody(context.req, PatchCronBody, options.maxBodySize);
    const patch = { ...named, ...cronPatch(body) };
    return jsonResponse(context, await call(thread, (api) => api.patchCron(patch)));
  });

  app.delete("/:cron_id", async (context) => {
    const { thread, named } = requestedCron(context, options);
    const reply = await call(thread, (api) => api.deleteCron(named));
    return reply.ok ? context.body(null, 204) : refusal(context, reply);
  });

  app.post("/search", async (context) => {
    const body = await parseBody(context.req, SearchCronsBody, options.maxBodySize);
    const found = await findCrons(context, options, body);
    if (found instanceof Response) return found;
    const { limit, offset, sort_by: by, sort_order: order, select } = body;
    const sorted = found.toSorted((a, b) => compare(a[by], b[by]) || compare(a["cron_id"], b["cron_id"]));
    if (order === "desc") sorted.reverse();
    context.header("x-pagination-total", String(sorted.length));
    if (sorted.length > offset + limit) context.header("x-pagination-next", String(offset + limit));
    const page = sorted.slice(offset, offset + limit);
    return context.json(select ? page.map((cron) => selected(cron, select)) : page);
  });

  app.post("/count", async (context) => {
    const body = await parseBody(context.req, CountCronsBody, options.maxBodySize);
    const found = await findCrons(context, options, body);
    return found instanceof Response ? found : context.json(found.length);
  });

  return app;
}

function requestedCron(
  context: Context,
  options: AppOptions,
): { readonly thread: RequestedThread; readonly named: RequestedThread["address"] & { cronId: string } } {
  const cronId = context.req.param("cron_id") ?? "";
  const thread = namedThread(context, options, threadOfCron(cronId));
  return { thread, named: { ...thread.address, cronId } };
}

async function findCrons(
  context: Context,
  options: AppOptions,
  filter: CronFilter,
): Promise<readonly Cron[] | Response> {
  const { thread_id: threadId } = filter;
  const thread = namedThread(context, options, threadId == null ? GRAPH_CRONS : requireThreadId(threadId));
  const reply = await callWhole(thread, (api) => api.listCrons(thread.address));
  if (reply.ok) {
    // What the object has written as JSON.
    const crons = JSON.parse(new TextDecoder().decode(reply.value)) as readonly Cron[];
    return crons.filter((cron) => fits(cron, filter));
  }
  return reply.error.code === "thread_not_found" ? [] : refusal(context, reply);
}

function fits(cron: Cron, { assistant_id: assistant, enabled, metadata }: CronFilter): boolean {
  if (assistant != null && cron["assistant_id"] !== assistant) return false;
  if (enabled != null && cron["enabled"] !== enabled) return false;
  const said: object = typeof cron["metadata"] === "object" ? (cron["metadata"] ?? {}) : {};
  return Object.entries(metadata ?? {}).every(
    ([key, value]) => JSON.stringify(Reflect.get(said, key)) === JSON.stringify(value),
  );
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

function selected(cron: Cron, keys: readonly string[]): Cron {
  return Object.fromEntries(keys.filter((key) => key in cron).map((key) => [key, cron[key]]));
}
