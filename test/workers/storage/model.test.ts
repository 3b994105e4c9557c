import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { SqliteSaver } from "../../../src/storage/sqlite-saver.ts";
import { SaverModel } from "../../contract/model/saver-model.ts";
import { SaverObject } from "./durable-saver.ts";

/** Of one object. */
const BATCH = 20;

it("SqliteSaver does what a naive saver does", { timeout: MODEL_SEQUENCES * 1000 }, async () => {
  let done = 0;
  for (let first = 0; first < MODEL_SEQUENCES; first += BATCH) {
    const object = await SaverObject.create();
    await object.run(async ({ storage }) => {
      const options = {
        sql: storage.sql,
        prefix: object.prefix,
        randomId: () => crypto.randomUUID(),
        inlineLimit: 3000,
        transact: <T>(write: () => T) => storage.transactionSync(write),
      };
      for (let seed = first; seed < first + BATCH; seed++) {
        const saver = new SqliteSaver(seed % 10 === 0 ? { ...options, bucket: env.BLOBS } : options);
        await new SaverModel({ saver, evict: () => saver.forget() }, seed).run(25);
        done++;
      }
    });
  }
  expect(done).toBe(MODEL_SEQUENCES);
});
