import { type MatchCondition, requireNamespace } from "./namespace.ts";

/** What is kept under a key. `value` is read-only. */
export interface Item {
  readonly value: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly namespace: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface SearchItem extends Item {
  /** How near the item is to the query: 1 is the same direction. Absent without a query or an index entry. */
  readonly score?: number | undefined;
}

/** Equality, or operators (`$eq $ne $gt $gte $lt $lte $in $nin`), by key of the value. */
export type Filter = Readonly<Record<string, unknown>>;

export interface GetOperation {
  readonly namespace: readonly string[];
  readonly key: string;
  /** Whether reading lets the item live as long again, true unless said otherwise: where the store forgets items. */
  readonly refreshTtl?: boolean | undefined;
}

export interface SearchOperation {
  readonly namespacePrefix: readonly string[];
  readonly filter?: Filter;
  /** 10 unless said otherwise. */
  readonly limit?: number;
  readonly offset?: number;
  /** Sorts by nearness of meaning, where the store has an index. */
  readonly query?: string;
  /** As of a read. */
  readonly refreshTtl?: boolean | undefined;
}

export interface PutOperation {
  readonly namespace: readonly string[];
  readonly key: string;
  /** Null deletes. */
  readonly value: Readonly<Record<string, unknown>> | null;
  /** The paths that are indexed in place of the store's own, or false: none. */
  readonly index?: false | readonly string[] | undefined;
  /** The item is forgotten so many minutes after it was written, or read: where the store forgets items. */
  readonly ttl?: number | undefined;
}

export interface ListNamespacesOperation {
  readonly matchConditions?: readonly MatchCondition[];
  /** Longer namespaces are cut to so many labels. */
  readonly maxDepth?: number;
  readonly limit: number;
  readonly offset: number;
}

export type Operation = GetOperation | SearchOperation | PutOperation | ListNamespacesOperation;

export type OperationResult<Op> = Op extends PutOperation
  ? void
  : Op extends SearchOperation
    ? SearchItem[]
    : Op extends GetOperation
      ? Item | null
      : Op extends ListNamespacesOperation
        ? string[][]
        : never;

export type OperationResults<Ops extends readonly Operation[]> = {
  [Index in keyof Ops]: OperationResult<Ops[Index]>;
};

export type SearchOptions = Omit<SearchOperation, "namespacePrefix">;

export interface ListNamespacesOptions {
  readonly prefix?: readonly string[];
  readonly suffix?: readonly string[];
  readonly maxDepth?: number;
  /** 100 unless said otherwise. */
  readonly limit?: number;
  readonly offset?: number;
}

/**
 * Long-term memory across threads: items by namespace and key. LangGraph's port, so that any store of that family can be
 * given to a graph. An implementation has one method, `batch`: its reads see the store as it was before its writes, and of
 * several writes of one key the last one counts.
 */
export abstract class BaseStore {
  abstract batch<const Ops extends readonly Operation[]>(operations: Ops): Promise<OperationResults<Ops>>;

  async get(
    namespace: readonly string[],
    key: string,
    options: Pick<GetOperation, "refreshTtl"> = {},
  ): Promise<Item | null> {
    requireNamespace(namespace);
    const [item] = await this.batch([{ ...options, namespace, key }]);
    return item;
  }

  async search(namespacePrefix: readonly string[], options: SearchOptions = {}): Promise<SearchItem[]> {
    requireNamespace(namespacePrefix, { allowEmpty: true });
    const [items] = await this.batch([{ limit: 10, offset: 0, ...options, namespacePrefix }]);
    return items;
  }

  async put(
    namespace: readonly string[],
    key: string,
    value: Readonly<Record<string, unknown>>,
    index?: false | readonly string[],
    ttl?: number,
  ): Promise<void> {
    requireNamespace(namespace, { isWrite: true });
    const said = { ...(index === undefined ? {} : { index }), ...(ttl === undefined ? {} : { ttl }) };
    await this.batch([{ namespace, key, value, ...said }]);
  }

  async delete(namespace: readonly string[], key: string): Promise<void> {
    requireNamespace(namespace);
    await this.batch([{ namespace, key, value: null }]);
  }

  async listNamespaces(options: ListNamespacesOptions = {}): Promise<string[][]> {
    const { prefix, suffix, maxDepth, limit = 100, offset = 0 } = options;
    const matchConditions: MatchCondition[] = [];
    if (prefix !== undefined) matchConditions.push({ matchType: "prefix", path: prefix });
    if (suffix !== undefined) matchConditions.push({ matchType: "suffix", path: suffix });
    const [namespaces] = await this.batch([
      { matchConditions, limit, offset, ...(maxDepth === undefined ? {} : { maxDepth }) },
    ]);
    return namespaces;
  }

  /** For stores that hold connections. */
  start(): void | Promise<void> {}

  stop(): void | Promise<void> {}
}

export function isPut(operation: Operation): operation is PutOperation {
  return "key" in operation && "value" in operation;
}

export function isGet(operation: Operation): operation is GetOperation {
  return "key" in operation && !("value" in operation);
}

export function isSearch(operation: Operation): operation is SearchOperation {
  return "namespacePrefix" in operation;
}
