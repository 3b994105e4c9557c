import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { Gate } from "../../support/gate.ts";
import { holdBucket, watched } from "../../support/bucket.ts";
import type { Transact } from "../../../src/storage/commits.ts";
import { SaverObject } from "./durable-saver.ts";

it("a write that is under way when all is abandoned is not stored, whichever saver it goes through", async () => {
  const object = await SaverObject.create();
  const { inner } = await object.saver({ bucket: watched(env.BLOBS), inlineLimit: 10 });
  const upload = new Gate();
  holdBucket(({ operation }) => (operation === "put" ? upload.pass() : undefined));
  const transactions: string[] = [];
  const outcome = object.run(({ storage }) => {
    const transact: Transact = (write) => {
      transactions.push("bound");
      return storage.transactionSync(write);
    };
    const bound = inner.bind({ transact });
    const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "c" } };
    const write = (id: string, value: string): Promise<void> => bound.putWrites(config, [["a", value]], id);
    return write("small", "x")
      .then(() => write("large", "x".repeat(100)))
      .then(
        () => "stored",
        (error: unknown) => Object(error).code,
      );
  });
  await upload.reached();
  await object.run(() => inner.abandon());
  upload.open();
  holdBucket();
  expect(await outcome).toBe("thread_deleted");
  expect(transactions).toEqual(["bound"]);
  expect(await object.count("writes")).toBe(1);
});
