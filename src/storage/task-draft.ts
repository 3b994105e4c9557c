import { TASKS } from "../checkpoint/constants.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import type { PositionedWrite, TaskWrites } from "../checkpoint/pending-writes.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import type { Comparisons } from "./comparisons.ts";
import { diff, refer } from "./patch/diff.ts";
import type { Difference } from "./patch/diff.ts";
import type { DiffContext } from "./patch/differ.ts";
import { isObject, kindOf } from "./patch/kind.ts";
import { KEEP, wholeOf } from "./patch/node.ts";
import { placesIn } from "./patch/places.ts";
import { isWorthComparing } from "./patch/worth.ts";
import { adoptValue, storedChanges } from "./stored-changes.ts";
import type { Changes } from "./stored-changes.ts";
import type { KnownReplacements, NamedValue, StoredForm, StoredValues } from "./stored-values.ts";
import { ValuePatch } from "./value-patch.ts";

/** What a task has written, as its row has it. */
export interface TaskDraft {
  readonly writes: TaskWrites<unknown>;
  readonly forms: StoredForm;
}

/** What a write is compared with, and its value, both adopted. */
interface Pair {
  readonly old: object;
  readonly next: object;
}

interface TaskChanges extends Changes {
  readonly writes: readonly PositionedWrite<unknown>[];
  readonly compared: readonly (Pair & { readonly difference: Difference })[];
}

/** `base`: what the checkpoint has in its channels, in stored form, as far as it is known without reading. */
export function draftTask(
  values: StoredValues,
  known: KnownReplacements,
  comparisons: Comparisons,
  { path, writes }: TaskWrites<unknown>,
  base: ReadonlyMap<string, unknown> | undefined,
): MaybePromise<TaskDraft> {
  const pairs = writes.map((write) => pairOf(write, base));
  const changing = storedChanges(values, known, (context) =>
    changesOf(writes, pairs, base === undefined ? context : { ...context, places: () => placesIn(base) }),
  );
  return chain(changing, ({ changes, forms }) => {
    // The next checkpoint may be compared with another state, whose places are others.
    for (const { old, next, difference } of changes.compared)
      if (!difference.refers) comparisons.note(old, next, difference);
    return { writes: { path, writes: changes.writes }, forms };
  });
}

/** A Send is not what its channel holds. */
function pairOf(
  { index, channel, value }: PositionedWrite<unknown>,
  base: ReadonlyMap<string, unknown> | undefined,
): Pair | undefined {
  if (index < 0 || !isObject(value) || channel === TASKS) return undefined;
  const old = base?.get(channel);
  if (!isObject(old) || kindOf(old) !== kindOf(value)) return undefined;
  const next = adoptValue(channel, value, old);
  return isWorthComparing(old, next) ? { old, next } : undefined;
}

function changesOf(
  writes: readonly PositionedWrite<unknown>[],
  pairs: readonly (Pair | undefined)[],
  context: DiffContext,
): TaskChanges {
  const written: NamedValue[] = [];
  const compared: (Pair & { readonly difference: Difference })[] = [];
  const stored = writes.map((write, place) => {
    const { channel, value } = write;
    const pair = pairs[place];
    const difference =
      pair === undefined ? referring(write, context) : diff(pair.old, pair.next, context, channel);
    if (difference === undefined) {
      written.push(write);
      const form = context.storedForm(value);
      return form === value ? write : { ...write, value: form };
    }
    if (pair !== undefined) compared.push({ ...pair, difference });
    for (const part of difference.written) written.push({ channel, value: part });
    return { ...write, value: storedOf(difference.change?.node ?? KEEP) };
  });
  return { writes: stored, written, compared };
}

/** What of it the checkpoint has elsewhere: in another channel, in a Send that it has, or, of a Send or an `Overwrite`, anywhere. */
function referring(
  { index, channel, value }: PositionedWrite<unknown>,
  context: DiffContext,
): Difference | undefined {
  return index < 0 ? undefined : refer(value, context, channel);
}

function storedOf(node: unknown): unknown {
  const whole = wholeOf(node);
  return whole === undefined ? new ValuePatch(node) : whole.value;
}
