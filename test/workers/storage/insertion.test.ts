import { expect, it } from "vitest";
import { Insertion } from "../../../src/storage/insertion.ts";
import { Sql } from "../../../src/storage/sql.ts";
import { countedSql, newCounts } from "./counted-sql.ts";
import { SaverObject } from "./durable-saver.ts";

const CREATE = "CREATE TABLE things (id INTEGER PRIMARY KEY, kind TEXT, size INTEGER, note TEXT)";
const COLUMNS = { id: [], kind: ["small", "large"], size: [0, 1, 2, 3, 4], note: [] };

it("adds rows as they are, and binds only what is not null and not frequent", async () => {
  const object = await SaverObject.create();
  await object.run(({ storage }) => {
    storage.sql.exec(CREATE);
    const counts = newCounts();
    const insertion = new Insertion(new Sql(countedSql(storage.sql, counts)), "things", COLUMNS);
    const rows = [
      [1, "small", 0, null],
      [2, "large", 4, "seen"],
      [3, "other", 5, null],
      [4, null, null, null],
      [5, "'small'", 3, "0"],
      [6, "large", 4, "again"],
    ] as const;
    for (const row of rows) expect(insertion.run(...row)).toBe(1);
    const stored = [...storage.sql.exec("SELECT * FROM things ORDER BY id").raw()];
    expect(stored).toEqual(rows);
    const places = counts.statements.map((statement) => statement.split("?").length - 1);
    expect(places).toEqual([1, 2, 3, 1, 3, 2]);
    expect(new Set(counts.statements).size).toBe(5);
  });
});

it("adds nothing where there is a row with the key", async () => {
  const object = await SaverObject.create();
  await object.run(({ storage }) => {
    storage.sql.exec(CREATE);
    const insertion = new Insertion(new Sql(storage.sql), "things", COLUMNS);
    insertion.run(1, "small", 0, "first");
    expect(insertion.run(1, "large", 0, "second")).toBe(0);
    expect(storage.sql.exec("SELECT note FROM things").toArray()).toEqual([{ note: "first" }]);
  });
});
