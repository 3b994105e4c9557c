import { expect } from "vitest";
import type { TestThread } from "./threads.ts";

/** Each checkpoint but the first is the child of the one before. */
export async function expectOneChain(thread: TestThread): Promise<void> {
  const history = await thread.history("?limit=1000");
  const ids = history.map((state) => state.checkpoint.checkpoint_id);
  const parents = history.map((state) => state.parent_checkpoint?.checkpoint_id);
  expect(parents).toEqual([...ids.slice(1), undefined]);
}
