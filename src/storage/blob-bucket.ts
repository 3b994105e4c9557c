import { StorageError } from "../errors.ts";
import { PART_SIZE } from "./limits.ts";

/** How many objects one call of R2 deletes. */
const DELETE_BATCH = 1000;

export interface BlobObject {
  readonly hash: string;
  readonly generation: string;
}

/** The blobs of one thread object in R2, under its prefix. Objects are written once and never changed. */
export class BlobBucket {
  readonly #bucket: R2Bucket;
  readonly #prefix: string;

  constructor(bucket: R2Bucket, prefix: string) {
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async put(hash: string, generation: string, bytes: Uint8Array): Promise<void> {
    const key = this.#key(hash, generation);
    try {
      if (bytes.length <= PART_SIZE) await this.#bucket.put(key, bytes);
      else await this.#putInParts(key, bytes);
    } catch (error) {
      throw unavailable("written", key, error);
    }
  }

  async get(hash: string, generation: string): Promise<Uint8Array> {
    const key = this.#key(hash, generation);
    const bytes = await this.#read(key);
    if (bytes !== undefined) return bytes;
    throw new StorageError(
      "blob_missing",
      `The bucket has no object "${key}", which a stored value refers to.`,
      {
        details: { key },
      },
    );
  }

  async delete(objects: readonly BlobObject[]): Promise<void> {
    const keys = objects.map(({ hash, generation }) => this.#key(hash, generation));
    for (let start = 0; start < keys.length; start += DELETE_BATCH) {
      const batch = keys.slice(start, start + DELETE_BATCH);
      try {
        await this.#bucket.delete(batch);
      } catch (error) {
        throw unavailable("deleted", batch[0] ?? "", error);
      }
    }
  }

  /** All objects under the prefix, a page at a time. */
  async *list(): AsyncGenerator<readonly BlobObject[], void, undefined> {
    const prefix = `${this.#prefix}/`;
    let cursor: string | undefined;
    do {
      const page: R2Objects = await this.#page(prefix, cursor);
      yield page.objects.map(({ key }) => {
        const [hash = "", generation = ""] = key.slice(prefix.length).split(".");
        return { hash, generation };
      });
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor !== undefined);
  }

  async #page(prefix: string, cursor: string | undefined): Promise<R2Objects> {
    try {
      return await this.#bucket.list(cursor === undefined ? { prefix } : { prefix, cursor });
    } catch (error) {
      throw unavailable("listed", prefix, error);
    }
  }

  async #read(key: string): Promise<Uint8Array | undefined> {
    try {
      const object = await this.#bucket.get(key);
      return object === null ? undefined : await inOneBuffer(object);
    } catch (error) {
      throw unavailable("read", key, error);
    }
  }

  /** The runtime copies what it is given at once. */
  async #putInParts(key: string, bytes: Uint8Array): Promise<void> {
    const { readable, writable } = new FixedLengthStream(bytes.length);
    const putting = this.#bucket.put(key, readable);
    // When it fails nobody reads the parts: the bucket says why.
    const writing = writeParts(writable, bytes).catch(() => undefined);
    await putting;
    await writing;
  }

  #key(hash: string, generation: string): string {
    return `${this.#prefix}/${hash}.${generation}`;
  }
}

async function writeParts(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  for (let start = 0; start < bytes.length; start += PART_SIZE)
    await writer.write(bytes.subarray(start, start + PART_SIZE));
  await writer.close();
}

/** The runtime would read them twice into memory to give them at once. */
async function inOneBuffer(object: R2ObjectBody): Promise<Uint8Array> {
  const { body, size } = object;
  if (size <= PART_SIZE) return new Uint8Array(await object.arrayBuffer());
  const bytes = new Uint8Array(size);
  const reader = body.getReader({ mode: "byob" });
  let part = new Uint8Array(PART_SIZE);
  for (let start = 0; ;) {
    const { done, value } = await reader.read(part);
    if (done) return bytes;
    bytes.set(value, start);
    start += value.length;
    part = new Uint8Array(value.buffer);
  }
}

function unavailable(what: string, key: string, cause: unknown): StorageError {
  return new StorageError("blob_unavailable", `The object "${key}" could not be ${what}. Try again.`, {
    details: { key },
    cause,
  });
}

/** The blob is where nothing leads to any more. */
export function noBucket(hash: string): StorageError {
  return new StorageError("blob_unavailable", `The blob ${hash} is in a bucket, but none is configured.`, {
    details: { hash },
  });
}
