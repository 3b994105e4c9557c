import { TidemarkError } from "./errors.ts";

/** What an option has to be, in words that say it. */
const KINDS = {
  "a function": (value: unknown) => typeof value === "function",
  "a text": isText,
  "a list of texts": areTexts,
};

/** Or else what says whether it is that. */
export type OptionRule = keyof typeof KINDS | readonly [as: string, is: (value: unknown) => boolean];
export type OptionRules<Options> = Readonly<Record<keyof Options, OptionRule>>;

/**
 * Refuses, before anything is served, what would mean something else than is wanted: a name that is written wrongly would be as if it
 * were not there, and nobody checks the types of JavaScript. `where`: who takes the options.
 */
export function checkOptions<Options extends object>(
  where: string,
  options: Options,
  rules: OptionRules<Options>,
): void {
  const known: ReadonlyMap<string, OptionRule> = new Map(Object.entries(rules));
  for (const [name, value] of Object.entries(options)) {
    const rule = known.get(name);
    if (rule === undefined)
      throw invalidOptions(`${where} has no option "${name}"; there are ${[...known.keys()].join(", ")}`);
    const [as, is] = typeof rule === "string" ? [rule, KINDS[rule]] : rule;
    if (value !== undefined && !is(value)) throw invalidOptions(`${where}: "${name}" has to be ${as}`);
  }
}

export function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function invalidOptions(problem: string): TidemarkError {
  return new TidemarkError("invalid_options", `${problem}.`);
}
