import type { ExternalReference } from "../checkpoint/serde/external-reference.ts";
import { fromBytes, type LargeLeaf, TEXT } from "./large-leaf.ts";

/** What stands in the place of each reference: bytes of its own, which whoever gets them may change. */
export function leavesOf(
  references: readonly ExternalReference[],
  contents: ReadonlyMap<string, Uint8Array>,
): Map<unknown, LargeLeaf> {
  const found = references.flatMap((reference) => {
    const bytes = contents.get(reference.hash);
    return bytes === undefined ? [] : [{ reference, hash: reference.hash, kind: reference.kind, bytes }];
  });
  const leaves = new Map<unknown, LargeLeaf>();
  const made = new Map<string, LargeLeaf>();
  for (const { reference, hash, kind, bytes } of found) {
    const known = made.get(hash);
    const isText = kind === TEXT && typeof known === "string";
    const leaf = isText ? known : fromBytes(kind, known === undefined ? bytes : bytes.slice());
    made.set(hash, leaf);
    leaves.set(reference, leaf);
  }
  return leaves;
}

/** How many there are more than each once; a text can be shared. */
export function copiedBytes(
  leaves: Iterable<{ readonly hash: string; readonly kind: string; readonly bytes: Uint8Array }>,
): number {
  const seen = new Set<string>();
  let copied = 0;
  for (const { hash, kind, bytes } of leaves) {
    if (seen.has(hash) && kind !== TEXT) copied += bytes.length;
    seen.add(hash);
  }
  return copied;
}
