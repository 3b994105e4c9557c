import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const README = join(import.meta.dirname, "../README.md");

/** Puts what a run has printed into README, in the place of what an earlier run of the same part has. */
export function writeResults(part: string, text: string): void {
  const [begin, end] = [`<!-- ${part}: written by the run -->`, `<!-- end of ${part} -->`];
  const readme = readFileSync(README, "utf8");
  const [before, rest] = readme.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`bench/README.md has no place for "${part}".`);
  const block = ["```text", text, "```"].join("\n");
  writeFileSync(README, `${before}${begin}\n\n${block}\n\n${end}${after}`);
}
