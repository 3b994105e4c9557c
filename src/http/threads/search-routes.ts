import { isRecord } from "../../values/containers.ts";
import type { Context } from "hono";
import { Hono } from "../hono.ts";
import type { DirectoryApi, ThreadEntry, ThreadFilter } from "../../directory/protocol.ts";
import { RefusedError } from "../../errors.ts";
import type { Json } from "../../json.ts";
import type { AppOptions } from "../app-options.ts";
import { requirePermission } from "../auth/authentication.ts";
import { accessTo, authorize } from "../auth/authorization.ts";
import { parseBody } from "../requests/body.ts";
import { extractedFrom } from "./extracted-parts.ts";
import { inGroups } from "../in-groups.ts";
import { pageOf, selected } from "../page.ts";
import { callWhole, namedThread } from "../thread-call.ts";
import {
  CountThreadsBody,
  type SearchThreads,
  SearchThreadsBody,
  type ThreadFilterBody,
} from "./thread-schemas.ts";
import { tried } from "../tried.ts";

/** What only the thread itself knows. */
const OF_THREADS: ReadonlySet<string> = new Set(["config", "values", "interrupts"]);

/** What is asked of all threads of a tenant. */
export function searchRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/search", async (context) => {
    const directory = directoryOf(context, options);
    const body = await parseBody(context.req, SearchThreadsBody, options.maxBodySize);
    const { limit, offset, ids, sort_by: by, sort_order: order, select, extract } = body;
    await authorize(context, "threads:search", { ...body });
    const filter = { ...filterOf(context, body, options.extract), ...(ids && { ids }) };
    const wanted = { by, descending: order === "desc" };
    const [places, total] = await Promise.all([
      directory.findThreads(filter, wanted, offset + limit + 1),
      directory.countThreads(filter),
    ]);
    const page = pageOf(context, places, body, total).map(({ threadId }) => threadId);
    if (extract == null && select?.every((key) => !OF_THREADS.has(key)) === true) {
      const threads = await directory.getThreads(page);
      return context.json(threads.map((entry) => selected(threadOf(entry), select)));
    }
    requirePermission(context, "threads:read");
    return context.body(await askThreads(context, options, page, body), 200, {
      "content-type": "application/json",
    });
  });

  app.post("/count", async (context) => {
    const directory = directoryOf(context, options);
    const body = await parseBody(context.req, CountThreadsBody, options.maxBodySize);
    await authorize(context, "threads:search", { ...body });
    return context.json(await directory.countThreads(filterOf(context, body, options.extract)));
  });

  return app;
}

export function directoryOf(context: Context, options: AppOptions): DirectoryApi {
  const of = options.directories(context.env);
  if (of !== undefined) return of(context.get("principal").tenant);
  throw new RefusedError(
    "directory_missing",
    'The Worker has no directory. Export it (export const Directory = runtime.Directory) and add to wrangler.toml: [[durable_objects.bindings]] name = "DIRECTORY", class_name = "Directory".',
  );
}

type Thread = Readonly<Record<string, unknown>>;

/** The most that a page may have, in bytes. */
const MAX_PAGE = 64 * 1024 * 1024;

/**
 * The threads themselves know best. Those that are gone meanwhile are left out; of one that cannot answer there is what the
 * directory knows, and why.
 */
async function askThreads(
  context: Context,
  options: AppOptions,
  ids: readonly string[],
  { select, extract }: Pick<SearchThreads, "select" | "extract">,
): Promise<string> {
  const shownOf = (thread: Thread): Thread => ({
    ...(select ? selected(thread, select) : thread),
    ...(extract && { extracted: extractedFrom(thread, extract) }),
  });
  let size = 0;
  const texts = await inGroups(ids, async (id) => {
    const text = await askThread(context, options, id);
    if (text === undefined) return [];
    const shown = select || extract ? JSON.stringify(shownOf(JSON.parse(text) as Thread)) : text;
    size += shown.length;
    if (size > MAX_PAGE) throw pageTooLarge();
    return [shown];
  });
  return `[${texts.flat().join(",")}]`;
}

async function askThread(context: Context, options: AppOptions, id: string): Promise<string | undefined> {
  const thread = namedThread(context, options, id);
  const reply = await tried(options.report, () => callWhole(thread, (api) => api.getThread(thread.address)));
  if (reply.ok) return new TextDecoder().decode(reply.value);
  const { code, message } = reply.error;
  if (code === "thread_not_found") return undefined;
  const [entry] = await directoryOf(context, options).getThreads([id]);
  return entry && JSON.stringify({ ...threadOf(entry), values: null, error: { code, message } });
}

function pageTooLarge(): RefusedError {
  return new RefusedError(
    "response_too_large",
    `The page has more than ${MAX_PAGE} bytes. Ask for fewer threads, or "select" what is needed of them.`,
    { details: { limit: MAX_PAGE } },
  );
}

function threadOf(entry: ThreadEntry): Thread {
  return {
    thread_id: entry.threadId,
    created_at: new Date(entry.createdAt).toISOString(),
    updated_at: new Date(entry.updatedAt).toISOString(),
    state_updated_at: new Date(entry.stateUpdatedAt).toISOString(),
    metadata: entry.metadata,
    status: entry.status,
  };
}

function filterOf(
  context: Context,
  { metadata, values, status }: ThreadFilterBody,
  extract: readonly string[],
): ThreadFilter {
  requireExtracted(values, extract);
  const access = accessTo(context, "threads");
  return { metadata, extract: values, ...(status && { status }), ...(access && { access }) };
}

/** Refuses to look for values that the directory does not know: it would find none, whatever the threads have. */
function requireExtracted(values: Json, extract: readonly string[]): void {
  for (const path of pathsOf(values)) {
    const isKnown = extract.some((known) => path === known || path.startsWith(`${known}.`));
    if (isKnown) continue;
    const known = extract.map((each) => `"${each}"`).join(", ") || "none";
    throw new RefusedError(
      "invalid_request",
      `Threads cannot be found by "${path}" of their values: only by the paths that createRuntime({ directory: { extract } }) names, which are: ${known}.`,
      { details: { path, extract } },
    );
  }
}

function pathsOf(value: Json, path = ""): readonly string[] {
  if (!isRecord(value)) return path === "" ? [] : [path];
  const members = Object.entries(value);
  if (members.length === 0) return path === "" ? [] : [path];
  return members.flatMap(([key, member]) => pathsOf(member, path === "" ? key : `${path}.${key}`));
}
