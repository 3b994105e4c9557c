import { type Context, Hono } from "hono";
import type { BaseStore, SearchItem } from "../checkpoint/store/base-store.ts";
import { stringifyJson } from "../json.ts";
import type { AppOptions } from "./app.ts";
import { parseBody, parseQuery } from "./body.ts";
import { directoryOf } from "./search-routes.ts";
import { DeleteItemBody, ItemQuery, NamespacesBody, PutItemBody, SearchItemsBody } from "./store-schemas.ts";

/** What graphs remember across threads. */
export function storeRoutes(options: AppOptions): Hono {
  const app = new Hono();
  const store = (context: Context): BaseStore => options.store(context.env, directoryOf(context, options));

  app.put("/items", async (context) => {
    const { namespace, key, value } = await parseBody(context.req, PutItemBody, options.maxBodySize);
    await store(context).put(namespace, key, value);
    return context.body(null, 204);
  });

  app.get("/items", async (context) => {
    const { namespace, key } = parseQuery(context.req, ItemQuery);
    const item = await store(context).get(namespace === "" ? [] : namespace.split("."), key);
    return json(context, item && wireItem(item));
  });

  app.delete("/items", async (context) => {
    const { namespace, key } = await parseBody(context.req, DeleteItemBody, options.maxBodySize);
    await store(context).delete(namespace, key);
    return context.body(null, 204);
  });

  app.post("/items/search", async (context) => {
    const body = await parseBody(context.req, SearchItemsBody, options.maxBodySize);
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
