import threads from "../../migrations/directory/0001_threads.sql";
import assistants from "../../migrations/directory/0002_assistants.sql";
import store from "../../migrations/directory/0003_store.sql";
import erasures from "../../migrations/directory/0004_erasures.sql";
import itemLives from "../../migrations/directory/0005_item_lives.sql";
import erasureTries from "../../migrations/directory/0006_erasure_tries.sql";
import type { Migration } from "../storage/migrations.ts";

/** The tables of a directory object, in the order in which they came. Append only. */
export const directoryMigrations: readonly Migration[] = [
  { version: 1, name: "threads", sql: threads },
  { version: 2, name: "assistants", sql: assistants },
  { version: 3, name: "store", sql: store },
  { version: 4, name: "erasures", sql: erasures },
  { version: 5, name: "item_lives", sql: itemLives },
  { version: 6, name: "erasure_tries", sql: erasureTries },
];
