import { TidemarkError, type WireError } from "../errors.ts";

/** Classes of errors do not survive the way to the router: what is expected crosses as a value. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: WireError };

export function outcomeOf<Value>(work: () => Value): Outcome<Value> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return failed(error);
  }
}

export async function outcomeOfAsync<Value>(work: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Extract<Outcome<never>, { readonly ok: false }> {
  if (!(error instanceof TidemarkError)) throw error;
  const { code, message, details } = error;
  return { ok: false, error: { code, message, details } };
}
