import { isObject } from "../values/containers.ts";
import type { MatchingCodec } from "./serde/codec.ts";

/** What LangGraph saves of a `DeltaChannel` now and then, so that not all writes since the first have to be read. */
export class DeltaSnapshot<Value = unknown> {
  readonly lg_name = "DeltaSnapshot";
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** Also a snapshot of LangGraph's own class. */
export function isDeltaSnapshot(value: unknown): value is DeltaSnapshot {
  return isObject(value) && "lg_name" in value && value.lg_name === "DeltaSnapshot" && "value" in value;
}

/** So that LangGraph can work on our savers. */
export const deltaSnapshotCodec: MatchingCodec<DeltaSnapshot> = {
  name: "langgraph.DeltaSnapshot",
  matches: isDeltaSnapshot,
  encode: (snapshot) => snapshot.value,
  decode: (value) => new DeltaSnapshot(value),
};
