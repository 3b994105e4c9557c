import { RefusedError } from "../../errors.ts";

/** A namespace that no store takes. */
export class InvalidNamespaceError extends RefusedError {
  constructor(message: string, namespace: unknown) {
    super("invalid_namespace", message, { details: { namespace } });
    this.name = "InvalidNamespaceError";
  }
}

/** The first label that is the engine's own. */
const RESERVED_ROOT = "langgraph";

/** Stores join labels by these, and so do the databases behind them. */
const RESERVED: Readonly<Record<string, string>> = { ".": "a period", ":": "a colon", "\0": "a NUL byte" };

/** Throws unless every label is a text that all stores can keep apart. */
export function requireNamespace(
  namespace: readonly string[],
  options: { readonly allowEmpty?: boolean; readonly isWrite?: boolean } = {},
): void {
  if (!Array.isArray(namespace))
    throw new InvalidNamespaceError("A namespace is a list of labels.", namespace);
  if (namespace.length === 0 && !options.allowEmpty) {
    throw new InvalidNamespaceError("A namespace must have at least one label.", namespace);
  }
  for (const label of namespace as readonly unknown[]) requireLabel(label, namespace);
  if (options.isWrite && namespace[0] === RESERVED_ROOT) {
    throw new InvalidNamespaceError(
      `The first label of a namespace cannot be "${RESERVED_ROOT}".`,
      namespace,
    );
  }
}

function requireLabel(label: unknown, namespace: readonly string[]): void {
  if (typeof label !== "string" || label === "") {
    throw new InvalidNamespaceError("A label of a namespace must be a text that is not empty.", namespace);
  }
  for (const [character, name] of Object.entries(RESERVED)) {
    if (label.includes(character)) {
      throw new InvalidNamespaceError(`The label ${JSON.stringify(label)} must not have ${name}.`, namespace);
    }
  }
}

export type NamespaceMatchType = "prefix" | "suffix";

export interface MatchCondition {
  readonly matchType: NamespaceMatchType;
  /** "*" is any one label. */
  readonly path: readonly string[];
}

/** Whether a namespace begins (ends) as the condition says. */
export function matchesCondition(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (namespace.length < path.length) return false;
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === "*" || label === namespace[start + index]);
}

/** By labels, from the first on. */
export function compareNamespaces(left: readonly string[], right: readonly string[]): number {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [a, b] = [left[index] ?? "", right[index] ?? ""];
    if (a !== b) return a < b ? -1 : 1;
  }
  return left.length - right.length;
}
