import { it } from "vitest";
import { MemorySaver } from "../../src/checkpoint/memory-saver.ts";
import { SaverModel } from "./model/saver-model.ts";

it("MemorySaver does what a naive saver does", { timeout: 60_000 }, async () => {
  for (let seed = 0; seed < 20; seed++) {
    await new SaverModel({ saver: new MemorySaver(), evict: () => undefined }, seed).run(30);
  }
});
