import { ENCRYPTED } from "../../checkpoint/serde/encryption/encrypted-type.ts";
import type { Report } from "../../log.ts";
import { isPassing } from "../../storage/blob-references.ts";
import type { BodyRow } from "../../storage/body-row.ts";
import type { ArchivedRequests } from "./archived-requests.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/**
 * The blobs that do not go into an archive: those that nothing in it refers to. They may be of runs that were deleted, with
 * their webhooks. What cannot be read may refer to any blob; when it is encrypted, to those that are encrypted too.
 */
export async function blobsLeftOut(
  storage: ThreadStorage,
  threadId: string,
  requests: ArchivedRequests,
  report: Report,
): Promise<ReadonlySet<string>> {
  const all = storage.blobs.all(threadId);
  if (all.length === 0) return new Set();
  const used = new Set(requests.used);
  let hasSealed = requests.hasSealed;
  let hasUnreadable = false;
  for (const row of bodies(storage, threadId)) {
    try {
      await storage.references.note(threadId, row, used);
    } catch (error) {
      if (isPassing(error)) throw error;
      if (!hasSealed && !hasUnreadable) report(error);
      if (row.type === ENCRYPTED) hasSealed = true;
      else hasUnreadable = true;
    }
  }
  const goes = ({ hash, type }: (typeof all)[number]): boolean =>
    used.has(hash) || (hasSealed && type !== null) || (hasUnreadable && !requests.leftOut.has(hash));
  return new Set(all.filter((blob) => !goes(blob)).map(({ hash }) => hash));
}

/** All but what runs were started with. */
function* bodies(storage: ThreadStorage, threadId: string): Generator<BodyRow, void, void> {
  yield* storage.references.bodies(threadId);
  for (const { outcome } of storage.runs.eachBodies()) if (outcome !== undefined) yield outcome;
}
