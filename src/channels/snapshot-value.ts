import { isObject } from "../values/containers.ts";

/** The value in what LangGraph saves of a `DeltaChannel` now and then; anything else is a value itself. */
export function snapshotValue<Saved>(saved: Saved): Saved {
  // What a snapshot holds is what the channel would have saved.
  return isSnapshot(saved) ? (saved.value as Saved) : saved;
}

function isSnapshot(saved: unknown): saved is { readonly value: unknown } {
  return isObject(saved) && "lg_name" in saved && saved.lg_name === "DeltaSnapshot" && "value" in saved;
}
