import { MemorySaver } from "../../src/checkpoint/memory-saver.ts";
import { copyContract } from "./saver-copy.ts";
import { removalContract } from "./saver-removal.ts";
import { saverContract } from "./saver.ts";

const makeSaver = async () => ({ saver: new MemorySaver() });

saverContract("MemorySaver", makeSaver);
removalContract(makeSaver);
copyContract(makeSaver);
