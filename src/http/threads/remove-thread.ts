import type { Reply } from "../../thread/protocol.ts";
import { call, type RequestedThread } from "../thread-call.ts";

/** Deletes the thread, whatever is going on in it. */
export async function removeThread(thread: RequestedThread): Promise<Reply<null>> {
  let attempts = 0;
  const reply = await call(thread, (api) => {
    attempts += 1;
    return api.deleteThread(thread.address);
  });
  // A repeated call finds nothing when the first one has done its work and only its reply was lost.
  const isDone = !reply.ok && attempts > 1 && reply.error.code === "thread_not_found";
  return isDone ? { ok: true, value: null } : reply;
}
