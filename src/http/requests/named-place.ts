import { RefusedError } from "../../errors.ts";
import type { RunRequest } from "../../thread/protocol.ts";
import { check } from "./body.ts";
import { CheckpointId } from "./schemas.ts";

/** Where a body says that something is, besides the path. */
export interface NamedPlace {
  readonly thread_id?: unknown;
  readonly checkpoint_id?: unknown;
  readonly checkpoint_ns?: unknown;
}

/** Refuses a body that names another thread than the path. */
export function requireThread(threadId: string, { thread_id: named }: NamedPlace): void {
  if (named != null && named !== threadId) {
    throw refused("the body names another thread than the path; name it in the path only");
  }
}

/**
 * The request as it begins at the checkpoint that its body names, by itself, in a `checkpoint` or in its config.
 *
 * @throws RefusedError when the body names another thread than the path, two checkpoints, or a graph inside a node.
 */
export function atNamedPlace(threadId: string, request: RunRequest, checkpoint: NamedPlace): RunRequest {
  const configurable: NamedPlace = request.config.configurable ?? {};
  for (const place of [checkpoint, configurable]) {
    requireThread(threadId, place);
    if ((place.checkpoint_ns ?? "") !== "")
      throw refused("checkpoint_ns must be empty: runs begin in the outermost graph");
  }
  const named = [request.checkpointId, checkpoint.checkpoint_id, configurable.checkpoint_id];
  const [id, ...others] = new Set(named.filter((each) => each != null));
  if (others.length > 0) throw refused("the body names two checkpoints");
  return id === undefined ? request : { ...request, checkpointId: check(CheckpointId, id, "checkpoint_id") };
}

function refused(what: string): RefusedError {
  return new RefusedError("invalid_request", `The request is not valid: ${what}.`);
}
