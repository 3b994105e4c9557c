/** Statements that ran, and rows that they wrote and read: those of the production bill. */
export interface Counts {
  rowsWritten: number;
  rowsRead: number;
  statements: string[];
}

export function newCounts(): Counts {
  return { rowsWritten: 0, rowsRead: 0, statements: [] };
}

/** The same SQL, counted. The saver consumes every cursor at once, so the counts are final. */
export function countedSql(sql: SqlStorage, counts: Counts): SqlStorage {
  return new Proxy(sql, {
    get(target, key) {
      if (key !== "exec") return Reflect.get(target, key);
      return (statement: string, ...inputs: unknown[]) => {
        counts.statements.push(statement);
        const cursor = target.exec(statement, ...inputs);
        const rows = cursor.toArray();
        counts.rowsWritten += cursor.rowsWritten;
        counts.rowsRead += cursor.rowsRead;
        return {
          rowsWritten: cursor.rowsWritten,
          toArray: () => rows,
          one: () => (rows.length === 1 ? rows[0] : target.exec("SELECT 1 WHERE 0").one()),
        };
      };
    },
  });
}
