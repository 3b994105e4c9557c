import { StorageError } from "../../errors.ts";

/** Deletes all that the thread has in the bucket. */
export async function deleteObjects(bucket: R2Bucket, prefix: string): Promise<void> {
  try {
    for (;;) {
      const { objects, truncated } = await bucket.list({ prefix });
      if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
      if (!truncated) return;
    }
  } catch (cause) {
    const message =
      "The thread's objects in the bucket could not be deleted yet. The deletion goes on by itself.";
    throw new StorageError("blob_unavailable", message, { details: { prefix }, cause });
  }
}
