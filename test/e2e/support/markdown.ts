export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** The fenced code blocks of a document, in their order. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** Stands in a document for what it leaves out of an object or a list. */
const ELLIPSIS = "…";

/** Reads JSON as a document shows it, with `…` among the members of an object or a list. */
export function parseShown(text: string): unknown {
  const enclosing: string[] = [];
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^"]/gs) ?? [];
  const json = tokens.map((token) => {
    if (token === "{" || token === "[") enclosing.push(token);
    if (token === "}" || token === "]") enclosing.pop();
    if (token !== ELLIPSIS) return token;
    return enclosing.at(-1) === "{" ? `"${ELLIPSIS}": null` : `"${ELLIPSIS}"`;
  });
  return JSON.parse(json.join(""));
}

const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/;

/**
 * Where an answer differs from what a document shows; empty when nowhere. Ids are minted anew each time: one that is shown
 * stands for the first one found in its place, and must stand for the same one ever after.
 */
export function differences(shown: unknown, actual: unknown, ids: Map<string, string>, path = "$"): string[] {
  if (typeof shown === "string" && ID.test(shown) && typeof actual === "string") {
    const known = ids.get(shown) ?? actual;
    ids.set(shown, known);
    return known === actual ? [] : [`${path}: ${shown} stood for ${known}, but here it is ${actual}`];
  }
  if (Array.isArray(shown) && Array.isArray(actual)) {
    const isWhole = shown.at(-1) !== ELLIPSIS;
    const listed: unknown[] = isWhole ? shown : shown.slice(0, -1);
    if (isWhole ? listed.length !== actual.length : listed.length > actual.length)
      return [`${path}: ${listed.length} shown, ${actual.length} found`];
    return listed.flatMap((item, index) => differences(item, actual[index], ids, `${path}[${index}]`));
  }
  if (isObject(shown) && isObject(actual)) {
    const keys = Object.keys(shown).filter((key) => key !== ELLIPSIS);
    const hidden = ELLIPSIS in shown ? [] : Object.keys(actual).filter((key) => !(key in shown));
    return [
      ...hidden.map((key) => `${path}.${key}: not shown`),
      ...keys.flatMap((key) => differences(shown[key], actual[key], ids, `${path}.${key}`)),
    ];
  }
  return shown === actual ? [] : [`${path}: shown ${JSON.stringify(shown)}, found ${JSON.stringify(actual)}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
