import type { Context } from "hono";
import * as v from "valibot";
import type { Item } from "../../checkpoint/store/base-store.ts";
import { contains } from "../../values/contains.ts";
import { RefusedError, TidemarkError } from "../../errors.ts";
import { plainJson } from "../../json.ts";
import { accessTo, authorize } from "../auth/authorization.ts";

type Described = Pick<Item, "namespace"> & Partial<Pick<Item, "key" | "value">>;

/** Items that are looked at together, and at most, for those that a caller may know of. */
const PAGE = 1000;
const MAX_SEEN = 10_000;

/** Asks whether the caller may do this with the store. Handlers may lead it to another place: the schema says what they may not. */
export async function authorizeStore<Asked extends v.GenericSchema<unknown, Record<string, unknown>>>(
  context: Context,
  action: string,
  schema: Asked,
  asked: v.InferOutput<Asked>,
): Promise<v.InferOutput<Asked>> {
  const authorized = v.safeParse(schema, await authorize(context, `store:${action}`, asked));
  if (authorized.success) return authorized.output;
  throw new TidemarkError(
    "invalid_auth",
    "A handler of the configured auth has changed what is asked of the store to what cannot be.",
  );
}

/** Whether the caller may know of it: what handlers say of metadata holds for value, namespace and key together. */
export function maySee(context: Context, { namespace, key, value }: Described): boolean {
  const access = accessTo(context, "store");
  if (access === undefined) return true;
  return contains(plainJson({ ...value, namespace, ...(key !== undefined && { key }) }), access);
}

/** Those of a page that the caller may know of. */
export async function seenPage<Found>(
  context: Context,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  find: (page: { readonly limit: number; readonly offset: number }) => Promise<readonly Found[]>,
  describe: (found: Found) => Described,
): Promise<readonly Found[]> {
  if (accessTo(context, "store") === undefined) return find({ limit, offset });
  const seen: Found[] = [];
  for (let start = 0; seen.length < offset + limit; start += PAGE) {
    if (start === MAX_SEEN) throw tooMany();
    const page = await find({ limit: PAGE, offset: start });
    seen.push(...page.filter((found) => maySee(context, describe(found))));
    if (page.length < PAGE) break;
  }
  return seen.slice(offset, offset + limit);
}

function tooMany(): RefusedError {
  return new RefusedError(
    "invalid_request",
    `Among the first ${MAX_SEEN} of what is asked for there are too few that the caller may know of. Name a longer namespace.`,
  );
}
