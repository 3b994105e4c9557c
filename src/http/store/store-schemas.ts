import * as v from "valibot";
import { AnyObject, exactly, whole } from "../requests/exactly.ts";
import { Flag } from "../requests/schemas.ts";

/** The bodies and queries of the routes of the store. */

const Namespace = v.array(v.string());
const Key = v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(1024));

/** Ten years, in minutes. */
const MAX_TTL = 10 * 366 * 24 * 60;

export const PutItemBody = exactly({
  namespace: Namespace,
  key: Key,
  value: AnyObject,
  /** The paths that are indexed in place of the configured ones, or false: none. */
  index: v.nullish(v.union([v.literal(false), v.pipe(v.array(v.string()), v.maxLength(50))])),
  /** The item is forgotten so many minutes after it was written or read. */
  ttl: v.nullish(v.pipe(v.number(), v.finite(), v.gtValue(0, "must be above 0"), v.maxValue(MAX_TTL))),
});
export const DeleteItemBody = exactly({ namespace: Namespace, key: Key });

/** The labels of the namespace are joined by periods. */
export const ItemQuery = exactly({
  namespace: v.optional(v.string(), ""),
  key: Key,
  /** Whether reading lets the item live as long again. */
  refresh_ttl: v.optional(Flag, "true"),
});

export const SearchItemsBody = exactly({
  namespace_prefix: v.nullish(Namespace, []),
  filter: v.nullish(AnyObject),
  /** The items that mean something near come first, where an embedding is configured. */
  query: v.nullish(v.pipe(v.string(), v.maxLength(8192))),
  refresh_ttl: v.nullish(v.boolean()),
  limit: v.nullish(whole(1, 1000), 10),
  offset: v.nullish(whole(0, 10_000), 0),
});

export const NamespacesBody = exactly({
  prefix: v.nullish(Namespace),
  suffix: v.nullish(Namespace),
  max_depth: v.nullish(whole(1, 100)),
  limit: v.nullish(whole(1, 1000), 100),
  offset: v.nullish(whole(0, 10_000), 0),
});

/** What handlers of the configured auth are told, and may change. */
export const AskedItem = v.object({ namespace: Namespace, key: Key });
export const AskedPut = v.object({ ...AskedItem.entries, value: AnyObject });
export const AskedSearch = v.object({ namespace: Namespace, filter: v.optional(AnyObject) });
export const AskedNamespaces = v.object({
  namespace: v.optional(Namespace),
  suffix: v.optional(Namespace),
});
