import type { DocumentedOperation } from "./documented-operation.ts";

/** A command that makes such a request. */
export function curlOf(method: string, path: string, { requestBody, security }: DocumentedOperation): string {
  const address = `"$TIDEMARK${path.replaceAll(/\{(\w+)\}/g, "$$$1")}"`;
  const [body] = Object.entries(requestBody?.content ?? {});
  const parts = [
    `curl ${address}`,
    ...(method === "get" || method === "post" ? [] : [`-X ${method.toUpperCase()}`]),
    ...(security.length > 0 ? [`-H "authorization: Bearer $KEY"`] : []),
    ...(body === undefined ? [] : [`-H "content-type: ${body[0]}"`, dataOf(body[1])]),
    ...(body === undefined && method === "post" ? ["-X POST"] : []),
  ];
  return parts.join(" \\\n  ");
}

function dataOf({ example }: { readonly example?: unknown }): string {
  if (example === undefined) return "--data-binary @-";
  return `-d '${JSON.stringify(example).replaceAll("'", String.raw`'\''`)}'`;
}
