import { isObject } from "../../values/containers.ts";
import { InvalidArgumentError } from "../../errors.ts";
import { isSameValue } from "./same-value.ts";
import type { Filter } from "./base-store.ts";

type Test = (value: unknown, operand: unknown) => boolean;

const OPERATORS: Readonly<Record<string, Test>> = {
  $eq: isSameValue,
  $ne: (value, operand) => !isSameValue(value, operand),
  $gt: (value, operand) => Number(value) > Number(operand),
  $gte: (value, operand) => Number(value) >= Number(operand),
  $lt: (value, operand) => Number(value) < Number(operand),
  $lte: (value, operand) => Number(value) <= Number(operand),
  $in: (value, operand) => listOf(operand).some((item) => isSameValue(value, item)),
  $nin: (value, operand) => !listOf(operand).some((item) => isSameValue(value, item)),
};

/** Whether a value has what the filter asks of each of its keys. */
export function matchesFilter(value: Readonly<Record<string, unknown>>, filter: Filter = {}): boolean {
  return Object.entries(filter).every(([key, condition]) =>
    matches(Object.hasOwn(value, key) ? value[key] : undefined, condition),
  );
}

function matches(value: unknown, condition: unknown): boolean {
  if (!isOperators(condition)) return isSameValue(value, condition);
  return Object.entries(condition).every(([name, operand]) => {
    const test = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (test !== undefined) return test(value, operand);
    const known = Object.keys(OPERATORS).join(", ");
    throw new InvalidArgumentError("invalid_filter", `The filter has "${name}"; the operators are ${known}.`);
  });
}

function isOperators(condition: unknown): condition is Readonly<Record<string, unknown>> {
  return (
    isObject(condition) &&
    !Array.isArray(condition) &&
    Object.keys(condition).every((key) => key.startsWith("$"))
  );
}

function listOf(operand: unknown): readonly unknown[] {
  return Array.isArray(operand) ? operand : [];
}
