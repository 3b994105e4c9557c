import { SqliteSaver, type SqliteSaverOptions } from "../../../src/storage/sqlite-saver.ts";
import { threadMigrations } from "../../../src/thread/migrations.ts";
import { MemorySqlStorage } from "../../support/sql-storage.ts";
import { serializer } from "../serde/support.ts";

/** The tables of a thread that has nothing. */
export function threadTables(): MemorySqlStorage {
  const storage = new MemorySqlStorage();
  for (const { sql } of threadMigrations) storage.run(sql);
  return storage;
}

export function saverOf(storage: MemorySqlStorage, more: Partial<SqliteSaverOptions> = {}): SqliteSaver {
  return new SqliteSaver({
    sql: storage.sql,
    transact: (write) => write(),
    prefix: "",
    randomId: () => crypto.randomUUID(),
    onUnreadable: (error) => {
      throw error;
    },
    ...more,
  });
}

/** An empty one, for which things are large soon. */
export function newSaver(): SqliteSaver {
  return saverOf(threadTables(), { inlineLimit: 300, serde: serializer });
}
