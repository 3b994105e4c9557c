import { adopt } from "../values/adopt.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import { UnserializableError } from "../errors.ts";
import type { DiffContext } from "./patch/differ.ts";
import { isObject } from "./patch/kind.ts";
import type { KnownReplacements, NamedValue, StoredForm, StoredValues } from "./stored-values.ts";

/** What was found out of new values, and what of them is written out, as the graph has it. */
export interface Changes {
  readonly written: readonly NamedValue[];
}

/** Changes in stored form. `forms` are those of what was to be written at first: some of it may be equal to what is there. */
export interface StoredChanges<Found extends Changes> {
  readonly changes: Found;
  readonly forms: StoredForm;
}

/** Finds changes; where something large is to be written out, it is taken out, and they are found again in that form. */
export function storedChanges<Found extends Changes>(
  values: StoredValues,
  known: KnownReplacements,
  find: (context: DiffContext) => Found,
): MaybePromise<StoredChanges<Found>> {
  const first = find(diffContext(values, known, NOTHING));
  return chain(values.toStored(first.written, known, false), (forms) => {
    if (forms.isAsGiven) return { changes: first, forms };
    const replaced = new Map<unknown, unknown>();
    for (const [index, { value }] of first.written.entries()) {
      const stored = forms.values[index];
      if (stored !== value) replaced.set(value, stored);
    }
    return { changes: replaced.size === 0 ? first : find(diffContext(values, known, replaced)), forms };
  });
}

/** For values that are in stored form. */
export function storedContext(values: StoredValues): DiffContext {
  return diffContext(values, new WeakMap(), NOTHING);
}

/** A new value, of which nothing that is there already is looked at. What cannot be stored is reported with its channel. */
export function adoptValue<T>(channel: string, value: T, before?: unknown): T {
  try {
    return adopt(value, before);
  } catch (error) {
    if (!(error instanceof UnserializableError)) throw error;
    throw new UnserializableError(error.problem, error.path, { channel, cause: error });
  }
}

const NOTHING: ReadonlyMap<unknown, unknown> = new Map();

function diffContext(
  { shortText, isLargeBytes }: StoredValues,
  known: KnownReplacements,
  replaced: ReadonlyMap<unknown, unknown>,
): DiffContext {
  return {
    shortText,
    isStoredApart: isLargeBytes,
    storedForm: (part) => replaced.get(part) ?? (isObject(part) ? known.get(part) : undefined) ?? part,
  };
}
