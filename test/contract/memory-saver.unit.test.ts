import { MemorySaver } from "../../src/checkpoint/memory-saver.ts";
import { saverContract } from "./saver.ts";

saverContract("MemorySaver", async () => ({ saver: new MemorySaver() }));
