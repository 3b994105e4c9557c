/** One call of an object to its storage. */
export interface StorageCall {
  readonly operation: "transaction" | "statement";
  /** Of the object; absent for one without a name. */
  readonly name: string | undefined;
  readonly when: "before" | "after";
}

/** What the platform says about calls that fail with it is kept out of the output of the tests. */
const QUIET = "(disconnected: operation canceled)";

let decide: ((call: StorageCall) => unknown) | undefined;

/** What `fault` returns for a call of an object to its storage is thrown, before or after the call has had its effect. */
export function injectFaults(fault?: (call: StorageCall) => unknown): void {
  decide = fault;
}

/** As the platform throws them. */
export const platformFaults = {
  deploy: () => reset("Durable Object reset because its code was updated.", { durableObjectReset: true }),
  connection: () => reset("Network connection lost.", { retryable: true }),
  timeout: () =>
    reset("Durable Object storage operation exceeded timeout which caused object to be reset.", {
      durableObjectReset: true,
      retryable: true,
    }),
  memory: () =>
    reset("Durable Object's isolate exceeded its memory limit and was reset.", { durableObjectReset: true }),
};

function reset(message: string, flags: object): Error {
  return Object.assign(new Error(`${message} ${QUIET}`), flags);
}

/** For the test worker: lets the storage of an object be made to fail. The state has to be the platform's own. */
export function faulty(state: DurableObjectState): DurableObjectState {
  const { name } = state.id;
  const { storage } = state;
  const { sql } = storage;
  const call = <T>(operation: StorageCall["operation"], work: () => T): T => {
    throwIfWanted({ operation, name, when: "before" });
    const result = work();
    throwIfWanted({ operation, name, when: "after" });
    return result;
  };
  const value = overriding(storage, {
    sql: overriding(sql, {
      exec: (statement: string, ...inputs: unknown[]) =>
        call("statement", () => sql.exec(statement, ...inputs)),
    }),
    transactionSync: <T>(work: () => T) => call("transaction", () => storage.transactionSync(work)),
  });
  Object.defineProperty(state, "storage", { value });
  return state;
}

function throwIfWanted(call: StorageCall): void {
  const fault = decide?.(call);
  if (fault !== undefined) throw fault;
}

/** The object, with some of its properties replaced. */
function overriding<T extends object>(target: T, properties: object): T {
  return new Proxy(target, {
    get(of, key) {
      if (key in properties) return Reflect.get(properties, key) as unknown;
      const value: unknown = Reflect.get(of, key);
      return typeof value === "function" ? (value.bind(of) as unknown) : value;
    },
  });
}
