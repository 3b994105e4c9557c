import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { CommandError } from "./command-error.ts";

/** Objects cannot be listed by a Worker: their ids come from where they are kept. */

const FILE = /^([0-9a-f]{64})\.sqlite$/;
const API = "https://api.cloudflare.com/client/v4";

export interface Account {
  readonly account: string;
  /** The id of the namespace of the Thread class. */
  readonly namespace: string;
  readonly token: string;
  /** Elsewhere in tests. */
  readonly api?: string | undefined;
}

/** Of the objects of a class, in the folder where a server on this machine keeps its state. */
export function idsIn(state: string, className: string): readonly string[] {
  const folders = readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isOf(entry.name, className))
    .map(({ parentPath, name }) => join(parentPath, name));
  if (folders.length === 0) throw new CommandError(`${state} has no objects of the class "${className}".`);
  return folders.flatMap((folder) =>
    readdirSync(folder).flatMap((file) => FILE.exec(basename(file))?.[1] ?? []),
  );
}

/** Page by page, as Cloudflare's API lists them. */
export async function* idsOfAccount({
  account,
  namespace,
  token,
  api = API,
}: Account): AsyncGenerator<readonly string[]> {
  const path = `accounts/${encodeURIComponent(account)}/workers/durable_objects/namespaces/${encodeURIComponent(namespace)}/objects`;
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const url = new URL(`${api}/${path}`);
    url.searchParams.set("limit", "1000");
    if (cursor !== "") url.searchParams.set("cursor", cursor);
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok)
      throw new CommandError(`${url.origin} answered ${response.status}: ${await response.text()}`);
    const page = await response.json<ObjectsPage>();
    yield page.result.filter(({ hasStoredData }) => hasStoredData !== false).map(({ id }) => id);
    cursor = page.result_info?.cursor || undefined;
  }
}

interface ObjectsPage {
  readonly result: readonly { readonly id: string; readonly hasStoredData?: boolean }[];
  readonly result_info?: { readonly cursor?: string };
}

function isOf(folder: string, className: string): boolean {
  return folder === className || folder.endsWith(`-${className}`);
}
