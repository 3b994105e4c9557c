import type { Context } from "hono";
import type * as v from "valibot";
import { Hono } from "../hono.ts";
import type { BaseStore, SearchItem } from "../../checkpoint/store/base-store.ts";
import { stringifyJson } from "../../json.ts";
import { RefusedError } from "../../errors.ts";
import type { AppOptions } from "../app-options.ts";
import { accessTo } from "../auth/authorization.ts";
import { forbidden } from "../auth/permissions.ts";
import { parseBody, parseQuery } from "../requests/body.ts";
import { directoryOf } from "../threads/search-routes.ts";
import { authorizeStore, maySee, seenPage } from "./store-access.ts";
import {
  AskedItem,
  AskedNamespaces,
  AskedPut,
  AskedSearch,
  DeleteItemBody,
  ItemQuery,
  NamespacesBody,
  PutItemBody,
  SearchItemsBody,
} from "./store-schemas.ts";

/** What graphs remember across threads. */
export function storeRoutes(options: AppOptions): Hono {
  const app = new Hono();
  const store = (context: Context): BaseStore => options.store(context.env, directoryOf(context, options));

  app.put("/items", async (context) => {
    const body = await parseBody(context.req, PutItemBody, options.maxBodySize);
    const item = await authorizeStore(context, "put", AskedPut, body);
    await requireVisible(context, store(context), item);
    if (!maySee(context, item)) throw forbidden("store:put");
    const { index, ttl } = body;
    await store(context).put(item.namespace, item.key, item.value, index ?? undefined, ttl ?? undefined);
    return context.body(null, 204);
  });

  app.get("/items", async (context) => {
    const { namespace, key, refresh_ttl: refreshTtl } = parseQuery(context.req, ItemQuery);
    const asked = { namespace: namespace === "" ? [] : namespace.split("."), key };
    const named = await authorizeStore(context, "get", AskedItem, asked);
    await requireVisible(context, store(context), named);
    const item = await store(context).get(named.namespace, named.key, { refreshTtl });
    if (item !== null && !maySee(context, item)) throw itemNotFound(named.key);
    return json(context, item && wireItem(item));
  });

  app.delete("/items", async (context) => {
    const body = await parseBody(context.req, DeleteItemBody, options.maxBodySize);
    const named = await authorizeStore(context, "delete", AskedItem, body);
    await requireVisible(context, store(context), named);
    await store(context).delete(named.namespace, named.key);
    return context.body(null, 204);
  });

  app.post("/items/search", async (context) => {
    const body = await parseBody(context.req, SearchItemsBody, options.maxBodySize);
    const { namespace_prefix: prefix, ...asked } = body;
    const search = { ...asked, namespace: prefix, filter: asked.filter ?? undefined };
    const { namespace, filter } = await authorizeStore(context, "search", AskedSearch, search);
    const items = await foundItems(context, store(context), body, { namespace, filter });
    return json(context, { items: items.map(wireItem) });
  });

  app.post("/namespaces", async (context) => {
    const body = await parseBody(context.req, NamespacesBody, options.maxBodySize);
    const { prefix, max_depth: maxDepth, suffix: given, ...asked } = body;
    const wanted = {
      ...asked,
      max_depth: maxDepth,
      namespace: prefix ?? undefined,
      suffix: given ?? undefined,
    };
    const { namespace, suffix } = await authorizeStore(context, "list_namespaces", AskedNamespaces, wanted);
    const list = {
      ...(namespace && { prefix: namespace }),
      ...(suffix && { suffix }),
      ...(maxDepth != null && { maxDepth }),
    };
    const namespaces = await seenPage(
      context,
      body,
      (page) => store(context).listNamespaces({ ...list, ...page }),
      (found) => ({ namespace: found }),
    );
    return json(context, { namespaces });
  });

  return app;
}

/** A page of what the caller may know of: only what is answered lives longer by it. */
async function foundItems(
  context: Context,
  store: BaseStore,
  body: v.InferOutput<typeof SearchItemsBody>,
  { namespace, filter }: Pick<v.InferOutput<typeof AskedSearch>, "namespace" | "filter">,
): Promise<readonly SearchItem[]> {
  const isFiltered = accessTo(context, "store") !== undefined;
  const refreshTtl = body.refresh_ttl ?? undefined;
  const wanted = {
    refreshTtl: isFiltered ? false : refreshTtl,
    ...(body.query != null && { query: body.query }),
    ...(filter && { filter }),
  };
  const items = await seenPage(
    context,
    body,
    (page) => store.search(namespace, { ...page, ...wanted }),
    (item) => item,
  );
  if (isFiltered && refreshTtl !== false && items.length > 0) {
    await store.batch(items.map(({ namespace: of, key }) => ({ namespace: of, key })));
  }
  return items;
}

/** What is there already is not for everyone to replace, remove or keep alive. */
async function requireVisible(
  context: Context,
  store: BaseStore,
  { namespace, key }: { readonly namespace: readonly string[]; readonly key: string },
): Promise<void> {
  if (accessTo(context, "store") === undefined) return;
  const item = await store.get(namespace, key, { refreshTtl: false });
  if (item !== null && !maySee(context, item)) throw itemNotFound(key);
}

function itemNotFound(key: string): RefusedError {
  return new RefusedError("not_found", `There is no item "${key}" in this namespace.`);
}

function wireItem({ namespace, key, value, createdAt, updatedAt, score }: SearchItem): object {
  const found = score === undefined ? {} : { score };
  return { namespace, key, value, created_at: createdAt, updated_at: updatedAt, ...found };
}

function json(context: Context, value: unknown): Response {
  return context.body(stringifyJson(value), 200, { "content-type": "application/json" });
}
