import { adopt, handOut } from "../../values/adopt.ts";
import {
  BaseStore,
  isGet,
  isPut,
  isSearch,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "./base-store.ts";
import { matchesFilter } from "./filter.ts";
import { compareNamespaces, matchesCondition, requireNamespace } from "./namespace.ts";
import { VectorIndex, type IndexConfig } from "./vector-index.ts";

export interface InMemoryStoreOptions {
  /** Makes items searchable by meaning. */
  readonly index?: IndexConfig;
  /** Milliseconds since 1970; the system's clock unless said otherwise. */
  readonly now?: () => number;
}

/** Keeps items in memory, for tests and for what need not outlive the process. Values come back read-only. */
export class InMemoryStore extends BaseStore {
  /** By namespace, as JSON, then by key. */
  readonly #items = new Map<string, Map<string, Item>>();
  readonly #index: VectorIndex | undefined;
  readonly #now: () => number;

  constructor(options: InMemoryStoreOptions = {}) {
    super();
    this.#index = options.index === undefined ? undefined : new VectorIndex(options.index);
    this.#now = options.now ?? (() => Date.now());
  }

  get indexConfig(): IndexConfig | undefined {
    return this.#index?.config;
  }

  override async batch<const Ops extends readonly Operation[]>(
    operations: Ops,
  ): Promise<OperationResults<Ops>> {
    for (const operation of operations) requireOperation(operation);
    const results = await Promise.all(operations.map((operation) => this.#read(operation)));
    const writes = new Map<string, PutOperation>();
    for (const operation of operations) {
      if (isPut(operation)) writes.set(JSON.stringify([operation.namespace, operation.key]), operation);
    }
    await this.#write([...writes.values()]);
    // Each result is of the kind that its operation asks for.
    return results as OperationResults<Ops>;
  }

  async #read(operation: Operation): Promise<unknown> {
    if (isPut(operation)) return undefined;
    if (isSearch(operation)) return this.#search(operation);
    if (isGet(operation)) {
      const item = this.#items.get(JSON.stringify(operation.namespace))?.get(operation.key);
      return item === undefined ? null : handedOut(item);
    }
    return this.#namespaces(operation);
  }

  async #search({
    namespacePrefix,
    filter,
    limit = 10,
    offset = 0,
    query,
  }: SearchOperation): Promise<SearchItem[]> {
    const found = [...this.#items.values()]
      .flatMap((items) => [...items.values()])
      .filter((item) => matchesCondition(item.namespace, { matchType: "prefix", path: namespacePrefix }))
      .filter((item) => matchesFilter(item.value, filter));
    const ranked = query === undefined ? found : ((await this.#index?.rank(found, query)) ?? found);
    return ranked.slice(offset, offset + limit).map(handedOut);
  }

  #namespaces({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation): string[][] {
    const found = [...this.#items.values()].flatMap((items) => {
      const [first] = items.values();
      return first === undefined ? [] : [first.namespace];
    });
    const matching = found.filter((name) =>
      matchConditions.every((condition) => matchesCondition(name, condition)),
    );
    const cut = new Map(
      matching.map((name) => name.slice(0, maxDepth)).map((name) => [JSON.stringify(name), name]),
    );
    return [...cut.values()].toSorted(compareNamespaces).slice(offset, offset + limit);
  }

  /** All vectors first: when they cannot be had, nothing is written. */
  async #write(operations: readonly PutOperation[]): Promise<void> {
    const now = this.#now();
    const puts = operations.map((operation) => ({ operation, item: this.#itemOf(operation, now) }));
    const fields = this.#index?.config.fields ?? ["$"];
    await this.#index?.embed(
      puts.flatMap(({ operation, item }) =>
        item === undefined || operation.index === false ? [] : [{ item, fields: operation.index ?? fields }],
      ),
    );
    for (const { operation, item } of puts) {
      const name = JSON.stringify(operation.namespace);
      const items = this.#items.get(name) ?? new Map<string, Item>();
      if (item === undefined) items.delete(operation.key);
      else items.set(operation.key, item);
      this.#items.set(name, items);
    }
  }

  #itemOf({ namespace, key, value }: PutOperation, now: number): Item | undefined {
    if (value === null) return undefined;
    const known = this.#items.get(JSON.stringify(namespace))?.get(key);
    return {
      value: adopt(value),
      key,
      namespace: adopt(namespace),
      createdAt: known?.createdAt ?? new Date(now),
      updatedAt: new Date(now),
    };
  }
}

/** An older name. */
export class MemoryStore extends InMemoryStore {}

function requireOperation(operation: Operation): void {
  if (isSearch(operation)) requireNamespace(operation.namespacePrefix, { allowEmpty: true });
  else if (isPut(operation)) requireNamespace(operation.namespace, { isWrite: operation.value !== null });
  else if (isGet(operation)) requireNamespace(operation.namespace);
}

function handedOut<T extends Item>(item: T): T {
  return {
    ...item,
    value: handOut(item.value),
    namespace: [...item.namespace],
    createdAt: new Date(item.createdAt),
    updatedAt: new Date(item.updatedAt),
  };
}
