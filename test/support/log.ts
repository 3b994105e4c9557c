import { Annotation } from "../../src/index.ts";

/** The state of most graphs in the tests: a list that nodes and callers append to. */
export const Log = Annotation.Root({
  log: Annotation<readonly string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
});
