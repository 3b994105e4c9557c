import { SqliteSaver } from "../../../src/storage/sqlite-saver.ts";
import { threadMigrations } from "../../../src/thread/migrations.ts";
import { MemorySqlStorage } from "../../support/sql-storage.ts";
import { serializer } from "../serde/support.ts";

/** An empty one, for which things are large soon. */
export function newSaver(): SqliteSaver {
  const storage = new MemorySqlStorage();
  for (const { sql } of threadMigrations) storage.run(sql);
  return new SqliteSaver({
    sql: storage.sql,
    transact: (write) => write(),
    prefix: "",
    randomId: () => crypto.randomUUID(),
    onUnreadable: (error) => {
      throw error;
    },
    inlineLimit: 300,
    serde: serializer,
  });
}
