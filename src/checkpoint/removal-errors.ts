import { InvalidArgumentError, StorageError } from "../errors.ts";

/** What a checkpoint keeps of its parent's values can no longer be known. */
export function parentRemoved(id: string): StorageError {
  return new StorageError(
    "parent_removed",
    `The checkpoint "${id}" was removed while its child was being written.`,
    { details: { checkpoint_id: id } },
  );
}

/** A thread is copied to one that has nothing: two histories would be one. */
export function threadExists(threadId: string): InvalidArgumentError {
  return new InvalidArgumentError("thread_exists", `There is a thread "${threadId}" already.`, {
    details: { thread_id: threadId },
  });
}
