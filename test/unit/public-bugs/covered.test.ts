import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** The cases of the collection that are about what is stored, streamed, told to webhooks, and served, and about what goes on by itself. */
const CASES = {
  SER: ["01", "03", "05", "07", "09", "11", "13"],
  STO: ["01", "03", "05"],
  LAR: ["01", "03", "05"],
  TTL: ["01", "03", "05"],
  MIG: ["01", "03", "05"],
  STR: ["01", "03", "05", "07", "09", "11"],
  WEB: ["01", "03", "05", "07"],
  HTT: ["01", "03", "05", "07", "09", "11"],
  CON: ["01", "03", "05", "07", "09"],
  ALA: ["01", "03", "05", "07"],
  EVI: ["01", "03", "05", "07"],
  TES: ["01", "03", "05"],
  AUT: ["01", "03", "05", "07"],
};

const TESTS = join(import.meta.dirname, "../..");

/** The text of all tests, and of the suites that they call, but this one. */
function tests(): string {
  return readdirSync(TESTS, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !import.meta.filename.endsWith(file))
    .map((file) => readFileSync(join(TESTS, file), "utf8"))
    .join("\n");
}

it("every case has a test that is named for it", () => {
  const named = new Set(tests().match(/\b[A-Z]{3}-\d\d\b/g));
  const cases = Object.entries(CASES).flatMap(([area, numbers]) =>
    numbers.map((number) => `${area}-${number}`),
  );
  expect(cases.filter((each) => !named.has(each))).toEqual([]);
});
