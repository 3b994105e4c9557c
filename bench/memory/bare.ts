const PART = 1_000_000;

/**
 * No more than any object does that stores a value and reads it again: its bytes, once, and the two values, which are
 * held to the end.
 */
export async function keepBare(
  storage: DurableObjectStorage,
  bucket: R2Bucket | undefined,
  value: Uint8Array | string | readonly string[],
): Promise<void> {
  const bytes = value instanceof Uint8Array ? value : new TextEncoder().encode(JSON.stringify(value));
  const stored = bucket === undefined ? inRows(storage.sql, bytes) : await inBucket(bucket, bytes);
  await storage.sync();
  const again: unknown = value instanceof Uint8Array ? stored : JSON.parse(new TextDecoder().decode(stored));
  if (Object(again).length !== value.length) throw new Error("What was read is something else.");
}

function inRows(sql: SqlStorage, bytes: Uint8Array): Uint8Array {
  sql.exec("CREATE TABLE bare (n INTEGER PRIMARY KEY, bytes BLOB)");
  for (let n = 0; n * PART < bytes.length; n++) {
    sql.exec("INSERT INTO bare VALUES (?, ?)", n, bytes.subarray(n * PART, (n + 1) * PART));
  }
  const stored = new Uint8Array(bytes.length);
  for (const row of sql.exec<{ n: number; bytes: ArrayBuffer }>("SELECT n, bytes FROM bare")) {
    stored.set(new Uint8Array(row.bytes), row.n * PART);
  }
  return stored;
}

async function inBucket(bucket: R2Bucket, bytes: Uint8Array): Promise<Uint8Array> {
  await bucket.put("bare", bytes);
  const object = await bucket.get("bare");
  if (object === null) throw new Error("It is not in the bucket.");
  return new Uint8Array(await object.arrayBuffer());
}
