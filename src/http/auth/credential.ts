/** The key or token that a request brings, as `Authorization: Bearer` or, as LangGraph's clients do, `X-Api-Key`. */
export function credentialOf(request: Request): string | undefined {
  const [, token] = /^bearer +([^\s,]+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return token ?? request.headers.get("x-api-key") ?? undefined;
}
