import { theirs } from "../graphs/library.ts";
import { servedGraphs } from "./graphs.ts";

/** Loaded by the reference server, which brings a saver. */
export const { loop, question } = servedGraphs(theirs);
