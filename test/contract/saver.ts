import { describe } from "vitest";
import type { MakeSaver } from "./fixtures.ts";
import { copyContract } from "./saver-copy.ts";
import { listContract } from "./saver-list.ts";
import { nextValueContract } from "./saver-next-values.ts";
import { putContract } from "./saver-put.ts";
import { putWritesContract } from "./saver-put-writes.ts";
import { readContract } from "./saver-read.ts";
import { nestedRemovalContract } from "./saver-nested-removal.ts";
import { removalContract } from "./saver-removal.ts";
import { valueContract } from "./saver-values.ts";

/** What every `BaseCheckpointSaver` guarantees. `makeSaver` opens an empty one. */
export function saverContract(name: string, makeSaver: MakeSaver): void {
  describe(`${name} keeps the contract of a saver`, () => {
    putContract(makeSaver);
    putWritesContract(makeSaver);
    nextValueContract(makeSaver);
    readContract(makeSaver);
    listContract(makeSaver);
    valueContract(makeSaver);
    removalContract(makeSaver);
    nestedRemovalContract(makeSaver);
    copyContract(makeSaver);
  });
}
