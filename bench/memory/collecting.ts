/** There when the runtime was started with `--expose-gc`: collects all that nobody holds. */
const { gc } = globalThis as { readonly gc?: () => void };
const LARGE = 1_000_000;

/** Said when everything was collected; `LiveMemory` looks for it. */
const COLLECTED = "collected";

/** What large values, and what refers to them, are kept in. */
const LARGE_TABLES = /\b(parts|blobs|checkpoints|writes)\b/;

/** Collects before the object calls its storage. */
export function collectingState(state: DurableObjectState): DurableObjectState {
  const { storage } = state;
  const { sql } = storage;
  const value = overriding(storage, {
    sql: overriding(sql, {
      exec: (statement: string, ...inputs: unknown[]) => {
        if (LARGE_TABLES.test(statement)) collect();
        return sql.exec(statement, ...inputs);
      },
    }),
    transactionSync: <T>(work: () => T) => {
      collect();
      return storage.transactionSync(work);
    },
  });
  Object.defineProperty(state, "storage", { value });
  return state;
}

/** The same for a bucket. */
export function collectingBucket(bucket: R2Bucket): R2Bucket {
  return overriding(bucket, {
    put: (key: string, value: Uint8Array) => {
      collect();
      return bucket.put(key, value);
    },
    get: (key: string) => {
      collect();
      return bucket.get(key);
    },
  });
}

/** And wherever code takes a megabyte or more at once. */
export function collectWhereMuchIsTaken(): void {
  if (gc === undefined) return;
  globalThis.Uint8Array = new Proxy(Uint8Array, {
    construct(target, parameters: unknown[], newTarget) {
      const made = Reflect.construct(target, parameters, newTarget) as Uint8Array;
      if (typeof parameters[0] === "number") noteTaken(made);
      return made;
    },
  });
  const slice = new Proxy(Reflect.get(Uint8Array.prototype, "slice"), {
    apply(target, bytes, range) {
      const copy = Reflect.apply(target, bytes, range);
      noteTaken(copy);
      return copy;
    },
  });
  Reflect.set(Uint8Array.prototype, "slice", slice);
}

function noteTaken(taken: Uint8Array): void {
  if (taken.length >= LARGE) collect();
}

function collect(): void {
  if (gc === undefined) return;
  gc();
  // The memory of byte arrays that the first time found to be free is given back by the second.
  gc();
  console.log(COLLECTED);
}

function overriding<T extends object>(target: T, properties: object): T {
  return new Proxy(target, {
    get(of, key) {
      if (key in properties) return Reflect.get(properties, key) as unknown;
      const value: unknown = Reflect.get(of, key);
      return typeof value === "function" ? (value.bind(of) as unknown) : value;
    },
  });
}
