import { type Context, Hono } from "hono";
import * as v from "valibot";
import type { BaseStore, SearchItem } from "../checkpoint/store/base-store.ts";
import { stringifyJson } from "../json.ts";
import type { AppOptions } from "./app.ts";
import { parseBody, parseQuery } from "./body.ts";
import { AnyObject, exactly, whole } from "./exactly.ts";
import { directoryOf } from "./search-routes.ts";

const Namespace = v.array(v.string());
const Key = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(1024));

const PutBody = exactly({ namespace: Namespace, key: Key, value: AnyObject });
const DeleteBody = exactly({ namespace: Namespace, key: Key });

/** The labels of the namespace are joined by periods. */
const ItemQuery = exactly({ namespace: v.optional(v.string(), ""), key: Key });

const SearchBody = exactly({
  namespace_prefix: v.nullish(Namespace, []),
  filter: v.nullish(AnyObject),
  limit: v.nullish(whole(1, 1000), 10),
  offset: v.nullish(whole(0, 10_000), 0),
});

const NamespacesBody = exactly({
  prefix: v.nullish(Namespace),
  suffix: v.nullish(Namespace),
  max_depth: v.nullish(whole(1, 100)),
  limit: v.nullish(whole(1, 1000), 100),
  offset: v.nullish(whole(0, 10_000), 0),
});

/** What graphs remember across threads. */
export function storeRoutes(options: AppOptions): Hono {
  const app = new Hono();
  const store = (context: Context): BaseStore => options.store(context.env, directoryOf(context, options));

  app.put("/items", async (context) => {
    const { namespace, key, value } = await parseBody(context.req, PutBody, options.maxBodySize);
    await store(context).put(namespace, key, value);
    return context.body(null, 204);
  });

  app.get("/items", async (context) => {
    const { namespace, key } = parseQuery(context.req, ItemQuery);
    const item = await store(context).get(namespace === "" ? [] : namespace.split("."), key);
    return json(context, item && wireItem(item));
  });

  app.delete("/items", async (context) => {
    const { namespace, key } = await parseBody(context.req, DeleteBody, options.maxBodySize);
    await store(context).delete(namespace, key);
    return context.body(null, 204);
  });

  app.post("/items/search", async (context) => {
    const body = await parseBody(context.req, SearchBody, options.maxBodySize);
    const { namespace_prefix: prefix, filter, limit, offset } = body;
    const items = await store(context).search(prefix, { limit, offset, ...(filter && { filter }) });
    return json(context, { items: items.map(wireItem) });
  });

  app.post("/namespaces", async (context) => {
    const body = await parseBody(context.req, NamespacesBody, options.maxBodySize);
    const { prefix, suffix, max_depth: maxDepth, limit, offset } = body;
    const namespaces = await store(context).listNamespaces({
      ...(prefix && { prefix }),
      ...(suffix && { suffix }),
      ...(maxDepth != null && { maxDepth }),
      limit,
      offset,
    });
    return json(context, { namespaces });
  });

  return app;
}

function wireItem({ namespace, key, value, createdAt, updatedAt }: SearchItem): object {
  return { namespace, key, value, created_at: createdAt, updated_at: updatedAt };
}

function json(context: Context, value: unknown): Response {
  return context.body(stringifyJson(value), 200, { "content-type": "application/json" });
}
