import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { SqliteSaver, type SqliteSaverOptions } from "../../../src/storage/sqlite-saver.ts";
import { SaverModel } from "../../contract/model/saver-model.ts";
import { SaverObject } from "./durable-saver.ts";

/** Of one object. */
const BATCH = 20;

function optionsOf(object: SaverObject, storage: DurableObjectStorage): SqliteSaverOptions {
  return {
    sql: storage.sql,
    prefix: object.prefix,
    randomId: () => crypto.randomUUID(),
    onUnreadable: (error) => {
      throw error;
    },
    inlineLimit: 3000,
    transact: (write) => storage.transactionSync(write),
  };
}

it("SqliteSaver does what a naive saver does", { timeout: MODEL_SEQUENCES * 1000 }, async () => {
  let done = 0;
  const end = MODEL_FIRST_SEED + MODEL_SEQUENCES;
  for (let first = MODEL_FIRST_SEED; first < end; first += BATCH) {
    const object = await SaverObject.create();
    await object.run(async ({ storage }) => {
      const options = optionsOf(object, storage);
      for (let seed = first; seed < Math.min(first + BATCH, end); seed++) {
        const saver = new SqliteSaver(seed % 10 === 0 ? { ...options, bucket: env.BLOBS } : options);
        await new SaverModel({ saver, evict: () => saver.forget() }, seed).run(25);
        done++;
      }
    });
  }
  expect(done).toBe(MODEL_SEQUENCES);
});

it.each([1, 2, 3])(
  "also when values are hundreds of rows away from the first (%i)",
  { timeout: 60_000 },
  async (seed) => {
    const object = await SaverObject.create();
    const model = await object.run(async ({ storage }) => {
      const saver = new SqliteSaver(optionsOf(object, storage));
      const grown = new SaverModel({ saver, evict: () => saver.forget() }, seed);
      await grown.run(0, 400);
      return grown;
    });
    const skipping = await object.query<{ n: number }>(
      "SELECT count(*) AS n FROM checkpoints WHERE level IN (1, 2)",
    );
    expect(skipping[0]?.n).toBeGreaterThan(0);
    await object.run(() => model.run(40));
  },
);
