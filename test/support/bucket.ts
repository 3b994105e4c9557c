export interface BucketCall {
  readonly operation: string;
  /** Of the object, or the prefix that is listed. */
  readonly key: string;
}

const calls: BucketCall[] = [];
let hold: ((call: BucketCall) => Promise<void> | undefined) | undefined;

/** For the test worker: the bucket as thread objects get it. */
export function watched(bucket: R2Bucket): R2Bucket {
  return new Proxy(bucket, {
    get(target, property) {
      const method: unknown = Reflect.get(target, property);
      if (typeof method !== "function") return method;
      return async (...parameters: unknown[]): Promise<unknown> => {
        const call = { operation: String(property), key: keyOf(parameters[0]) };
        calls.push(call);
        await hold?.(call);
        return Reflect.apply(method, target, parameters) as unknown;
      };
    },
  });
}

/** The calls of objects to the bucket since the file's tests began. */
export function bucketCalls(operation: string): readonly BucketCall[] {
  return calls.filter((call) => call.operation === operation);
}

/** Lets calls wait for a promise, or fail with it, until it is called again. */
export function holdBucket(decide?: (call: BucketCall) => Promise<void> | undefined): void {
  hold = decide;
}

function keyOf(parameter: unknown): string {
  if (typeof parameter === "string") return parameter;
  if (Array.isArray(parameter)) return parameter.join(" ");
  const prefix: unknown = Object(parameter).prefix;
  return typeof prefix === "string" ? prefix : "";
}
