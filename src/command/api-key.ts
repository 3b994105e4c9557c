import { createHash, randomBytes } from "node:crypto";
import { CommandError } from "./command-error.ts";

export interface ApiKeyOptions {
  readonly name?: string | undefined;
  readonly tenant?: string | undefined;
  readonly scope?: readonly string[] | undefined;
  readonly expires?: string | undefined;
}

/** Makes a key: what its owner gets, and what the server's list of keys does, in which the key itself is not. */
export function newApiKey({ name, tenant, scope, expires }: ApiKeyOptions): string {
  if (name === undefined || name === "") throw new CommandError("Say who gets the key: --name ci");
  const key = `tm_${randomBytes(32).toString("base64url")}`;
  const entry = {
    hash: createHash("sha256").update(key).digest("hex"),
    name,
    ...(tenant !== undefined && { tenant }),
    ...(scope !== undefined && { scopes: scope }),
    ...(expires !== undefined && { expires_at: timeOf(expires) }),
  };
  return `The key, which is shown only now:\n${key}\n\nWhat belongs into the server's list of keys:\n${JSON.stringify(entry)}\n`;
}

function timeOf(expires: string): string {
  const time = Date.parse(expires);
  if (Number.isNaN(time))
    throw new CommandError(`--expires is no time: ${expires}. Write it as in 2027-01-31.`);
  return new Date(time).toISOString();
}
