import { decode, encode } from "../checkpoint/encoding.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import {
  BaseStore,
  isGet,
  isPut,
  isSearch,
  type Item,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
} from "../checkpoint/store/base-store.ts";
import { RefusedError } from "../errors.ts";
import { StoreIndex, type StoreIndexOptions } from "./store-index.ts";
import type { StoredItem, StoreApi, StoreRead, StoreWrite } from "./protocol.ts";

/** Of one value, as it is stored: it is in a row. */
const MAX_VALUE = 1_000_000;

const MINUTE = 60_000;

/** The store that graphs are given: its items are kept in the directory. */
export class DirectoryStore extends BaseStore {
  readonly #directory: StoreApi;
  readonly #serde: SerializerProtocol;
  readonly #index: StoreIndex | undefined;

  constructor(directory: StoreApi, serde: SerializerProtocol, index?: StoreIndexOptions) {
    super();
    this.#directory = directory;
    this.#serde = serde;
    this.#index = index && new StoreIndex(index);
  }

  override async batch<const Ops extends readonly Operation[]>(
    operations: Ops,
  ): Promise<OperationResults<Ops>> {
    const reads = await Promise.all(
      operations.flatMap((operation) => (isPut(operation) ? [] : [this.#readOf(operation)])),
    );
    const puts = new Map<string, PutOperation>();
    for (const operation of operations) {
      if (isPut(operation)) puts.set(JSON.stringify([operation.namespace, operation.key]), operation);
    }
    const last = [...puts.values()];
    const vectors = (await this.#index?.vectorsOf(last)) ?? [];
    const writes = await Promise.all(last.map((put, index) => this.#writeOf(put, vectors[index])));
    const outcome = await this.#directory.useStore(reads, writes);
    if (!outcome.ok) throw new RefusedError(outcome.error.code, outcome.error.message, outcome.error);
    const found = outcome.value.values();
    const results: unknown[] = [];
    for (const operation of operations) {
      results.push(isPut(operation) ? undefined : await this.#result(operation, found.next().value));
    }
    // Each result is of the kind that its operation asks for.
    return results as unknown as OperationResults<Ops>;
  }

  async #writeOf(
    { namespace, key, value, ttl }: PutOperation,
    vectors: StoreWrite["vectors"] = [],
  ): Promise<StoreWrite> {
    if (value === null) return { namespace, key, value };
    const encoded = await encode(this.#serde, value);
    const size = encoded.data.byteLength;
    const lives = ttl === undefined ? {} : { ttl: Math.ceil(ttl * MINUTE) };
    if (size <= MAX_VALUE) return { namespace, key, value: encoded, vectors, ...lives };
    throw new RefusedError(
      "value_too_large",
      `The item "${key}" has ${size} bytes; the limit of the store is ${MAX_VALUE}.`,
      { details: { namespace, key, size, limit: MAX_VALUE } },
    );
  }

  async #result(operation: Exclude<Operation, PutOperation>, found: unknown): Promise<unknown> {
    if (isGet(operation)) return found === undefined ? null : this.#item(found as StoredItem);
    if (!isSearch(operation)) return found;
    return Promise.all((found as StoredItem[]).map((item) => this.#item(item)));
  }

  async #readOf(operation: Exclude<Operation, PutOperation>): Promise<StoreRead> {
    if (isGet(operation)) return { kind: "get", ...operation };
    if (!isSearch(operation)) return { kind: "namespaces", ...operation };
    const { query, ...search } = operation;
    const vector = query === undefined ? undefined : await this.#index?.vectorOf(query);
    return { kind: "search", ...search, ...(vector && { vector }) };
  }

  async #item({ namespace, key, createdAt, updatedAt, value, score }: StoredItem): Promise<SearchItem> {
    return {
      namespace,
      key,
      ...(score !== undefined && { score }),
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
      // Only objects are put.
      value: (await decode(this.#serde, value)) as Item["value"],
    };
  }
}
