import { describe, expect, it } from "vitest";
import { STATUS } from "../../../src/http/errors.ts";

const sources = import.meta.glob<string>("../../../src/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
const text = Object.values(sources).join("\n");

/** The name and those of all classes that extend it. */
function withSubclasses(name: string): readonly string[] {
  const direct = [...text.matchAll(new RegExp(`class (\\w+) extends ${name}\\b`, "g"))];
  return [name, ...direct.flatMap(([, subclass = ""]) => withSubclasses(subclass))];
}

/** The codes in a first argument: a string, or a choice between strings. */
function codesIn(argument: string): readonly string[] {
  return [...argument.matchAll(/(?:^|[?:])\s*"([a-z_]+)"/g)].map(([, code = ""]) => code);
}

/** The codes of the class's errors: its own, or those that it is given. */
function codesOf(name: string): readonly string[] {
  const made = [...text.matchAll(new RegExp(`new ${name}\\(([^,]*),`, "g"))];
  const [, body = ""] = new RegExp(`class ${name} extends [^]*?super\\(([^,]*),`).exec(text) ?? [];
  const own = codesIn(body);
  return own.length > 0 ? own : made.flatMap(([, argument = ""]) => codesIn(argument));
}

describe("the status of an error", () => {
  it("is given for every code that a call can be refused with", () => {
    const codes = new Set(withSubclasses("RefusedError").flatMap(codesOf));
    expect(codes).toContain("invalid_identifier");
    expect(codes).toContain("interrupt_ambiguous");
    expect(codes.size).toBeGreaterThan(20);
    expect([...codes].filter((code) => !Object.hasOwn(STATUS, code))).toEqual([]);
  });
});
