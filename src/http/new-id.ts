import type { Context } from "hono";
import { uuid7 } from "../uuid7.ts";
import { uuid5 } from "../uuid5.ts";
import { idempotencyKey } from "./requests/request-conditions.ts";

/** Of ids that follow from keys. It must never change. */
const NAMESPACE = "0f0d9b3e-6a0f-4a55-9d8e-2f5a4b1c7e61";

/**
 * The id of something that is about to be made, of which the request names none. With an `Idempotency-Key` it follows from
 * the caller and the key: the same call again makes the same thing. `part` tells apart what one request makes.
 */
export function newId(context: Context, part = ""): string {
  const key = idempotencyKey(context);
  if (key === undefined) return uuid7();
  const { caller } = context.get("principal");
  return uuid5(JSON.stringify([caller, context.req.path, key, part]), NAMESPACE);
}

/** The id that the request names, or else a new one. What the header says has to hold in either case. */
export function givenOrNewId(context: Context, given: string | null | undefined): string {
  const id = newId(context);
  return given ?? id;
}
