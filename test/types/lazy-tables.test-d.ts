import type { LazyTables } from "../../src/storage/lazy-tables.ts";
import type { lazyTables } from "../../src/thread/migrations.ts";

// Checked by `npm run types`; nothing here is run.

export function tables(ofThread: LazyTables<keyof typeof lazyTables>, ofSaver: LazyTables): void {
  ofThread.of("answers");
  ofThread.of("blobs");
  // @ts-expect-error: a name that no table has would be taken for a table that is always there.
  ofThread.of("answer");
  ofSaver.of("blobs");
  // @ts-expect-error: a saver has no such table.
  ofSaver.of("answers");
}
