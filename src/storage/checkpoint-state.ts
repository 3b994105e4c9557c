import { isObject } from "../values/containers.ts";
import { adoptOwned } from "../values/adopt.ts";
import { UndecodableError } from "../errors.ts";
import type { Comparisons } from "./comparisons.ts";
import { diffFrames } from "./frame-patch.ts";
import { channelAt, placeOf } from "./packed-frame.ts";
import type { PackedFrame } from "./packed-frame.ts";
import { applyPatch } from "./patch/apply.ts";
import type { Budget } from "../checkpoint/serde/budget.ts";
import { diff, NO_DIFFERENCE, write, writeSmall } from "./patch/diff.ts";
import type { Difference } from "./patch/diff.ts";
import type { DiffContext } from "./patch/differ.ts";
import { KEEP } from "./patch/node.ts";
import { placesIn } from "./patch/places.ts";
import { weigh } from "./patch/weigh.ts";
import { smallWeight } from "./small.ts";

/** All of a checkpoint but its id, in stored form. */
export interface CheckpointState {
  readonly frame: PackedFrame;
  readonly values: ReadonlyMap<string, unknown>;
  /** Channels whose values are missing because somebody could change what is in them, and how heavy these are. */
  readonly missing: ReadonlyMap<string, number>;
}

/** What a state is compared with. */
export interface StateBase extends CheckpointState {
  /** The values that the patch may refer to, where they are not its own. */
  readonly around?: CheckpointState["values"];
}

/** How a state becomes another one. */
export interface StatePatch {
  readonly body: readonly unknown[];
  /** About as many as it takes. */
  readonly bytes: number;
  /** How much heavier the values have become. */
  readonly growth: number;
  /** What is built when it is applied. */
  readonly built: number;
  /** The new value of each channel that was compared, in which everything equal is the old part. */
  readonly values: ReadonlyMap<string, unknown>;
  /** What is written out, as the graph has it, by channel. */
  readonly written: readonly { readonly channel: string; readonly value: unknown }[];
  /** Whether something in it stands elsewhere. */
  readonly refers: boolean;
}

/** `[frame, values]` */
export function wholeBody(frame: PackedFrame, values: ReadonlyMap<string, unknown>): unknown {
  return [frame, Object.fromEntries(values)];
}

export function fromWholeBody(body: unknown): CheckpointState {
  if (!Array.isArray(body)) throw new UndecodableError("the row of a checkpoint has another form");
  const [frame, values] = body as readonly unknown[];
  if (!isFrame(frame) || !isObject(values)) {
    throw new UndecodableError("the row of a checkpoint has another form");
  }
  return {
    frame: adoptOwned(frame),
    values: new Map(Object.entries(adoptOwned(values))),
    missing: new Map(),
  };
}

/**
 * `[frame, removed, channel, node, …]`: a channel is its position among the versions of the new frame, or its name.
 * `next` are the channels that may differ, `gone` those that there are no more. `comparisons`: what was compared before.
 */
export function diffStates(
  old: StateBase,
  frame: PackedFrame,
  next: Iterable<readonly [channel: string, value: unknown]>,
  gone: readonly string[],
  context: DiffContext,
  comparisons?: Comparisons,
): StatePatch {
  const channels = Object.keys(frame.channel_versions);
  const ofFrame = diffFrames(old.frame, frame);
  const body: unknown[] = [ofFrame === undefined ? KEEP : ofFrame.node, gone.length === 0 ? 0 : gone];
  let bytes = ofFrame?.bytes ?? 0;
  let growth = 0;
  let built = ofFrame?.built ?? 0;
  for (const channel of gone) growth -= channel.length + weightOf(old, channel);
  const values = new Map<string, unknown>();
  const written: { channel: string; value: unknown }[] = [];
  const referring = { ...context, places: () => placesIn(old.around ?? old.values) };
  let refers = false;
  for (const [channel, value] of next) {
    const difference = differenceOf(channel, value, old.values, referring, comparisons);
    const { change } = difference;
    values.set(channel, change === undefined ? old.values.get(channel) : change.value);
    if (change === undefined) continue;
    body.push(placeOf(channels, channel), change.node);
    bytes += change.bytes + 2;
    growth += change.growth;
    built += change.built;
    refers ||= difference.refers;
    if (!old.values.has(channel))
      growth += old.missing.has(channel) ? -weightOf(old, channel) : channel.length;
    for (const part of difference.written) written.push({ channel, value: part });
  }
  return { body, bytes, growth, built, values, written, refers };
}

function differenceOf(
  channel: string,
  value: unknown,
  old: CheckpointState["values"],
  context: DiffContext,
  comparisons: Comparisons | undefined,
): Difference {
  const before = old.get(channel);
  const isKnown = old.has(channel);
  if (isKnown && Object.is(before, value)) return NO_DIFFERENCE;
  const weight = smallWeight(value, context.shortText);
  if (weight !== undefined) return writeSmall(before, value, weight);
  return comparisons?.find(before, value) ?? (isKnown ? diff : write)(before, value, context, channel);
}

/** The body of the first row of a visit, which refers to the state around it. */
export function outwardBody(frame: PackedFrame, [, ...rest]: StatePatch["body"]): unknown {
  return [frame, ...rest];
}

/** Such a row is read as a patch of nothing. */
export const NO_STATE: CheckpointState = {
  frame: { v: 0, ts: 0, channel_versions: {}, versions_seen: {} },
  values: new Map(),
  missing: new Map(),
};

/** `around`: the values that it refers to, where they are not the old ones. */
export function applyStatePatch(
  old: CheckpointState,
  body: unknown,
  budget: Budget,
  around: CheckpointState["values"] = old.values,
): CheckpointState {
  if (!Array.isArray(body)) throw new UndecodableError("the row of a checkpoint has another form");
  const [frameNode, gone, ...changes] = body as readonly unknown[];
  const frame = applyPatch(old.frame, frameNode, undefined, budget);
  if (!isFrame(frame)) throw new UndecodableError("the row of a checkpoint has another form");
  const channels = Object.keys(frame.channel_versions);
  const values = new Map(old.values);
  if (Array.isArray(gone)) for (const channel of gone) values.delete(String(channel));
  for (let index = 0; index < changes.length; index += 2) {
    const channel = channelAt(channels, changes[index]);
    values.set(channel, applyPatch(values.get(channel), changes[index + 1], around, budget));
  }
  return { frame, values, missing: old.missing };
}

function weightOf({ values, missing }: CheckpointState, channel: string): number {
  return missing.get(channel) ?? weigh(values.get(channel));
}

function isFrame(value: unknown): value is PackedFrame {
  return isObject(value) && "channel_versions" in value && "versions_seen" in value;
}
