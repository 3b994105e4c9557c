import { frameOf, newValues } from "../checkpoint/carry-over.ts";
import { chain, isPromise } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { ChannelVersions, Checkpoint, MaybePromise } from "../checkpoint/types.ts";
import type { HashedBytes } from "./blob-hashes.ts";
import { encodeBody, sealBody } from "./bodies.ts";
import type { CheckpointReader } from "./checkpoint-reader.ts";
import type { StoredBody } from "./body-row.ts";
import type { NamespaceRow } from "./namespace-rows.ts";
import type { Comparisons } from "./comparisons.ts";
import { diffStates, NO_STATE, outwardBody, wholeBody } from "./checkpoint-state.ts";
import type { CheckpointState, StateBase, StatePatch } from "./checkpoint-state.ts";
import { packFrame } from "./packed-frame.ts";
import type { PackedFrame } from "./packed-frame.ts";
import { baseOf, dueLevel, extend, isCheap, isLight, OUTWARD, SNAPSHOT } from "./patch-chain.ts";
import type { PatchChain } from "./patch-chain.ts";
import { MOST_BUILT } from "./patch/budget.ts";
import type { DiffContext } from "./patch/differ.ts";
import { weigh } from "./patch/weigh.ts";
import type { CachedCheckpoint, SaverCache } from "./saver-cache.ts";
import { requireFits } from "./state-limit.ts";
import { adoptValue, storedChanges, storedContext } from "./stored-changes.ts";
import type { StoredForm, StoredValues } from "./stored-values.ts";

/** A checkpoint that is ready for its row. */
export interface CheckpointDraft {
  readonly stored: StoredBody;
  readonly blobs: readonly HashedBytes[];
  /** The checkpoint as the cache will have it, once it is committed. */
  readonly next: CachedCheckpoint;
  /** To be called when it is committed. */
  remember(): void;
}

/** What a checkpoint is to hold, as it was when it was given. */
export interface NewCheckpoint {
  readonly id: string;
  readonly frame: PackedFrame;
  /** New values by channel, adopted. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Whether a channel keeps the value that it has in the parent. */
  carries(channel: string): boolean;
}

export function newCheckpoint(checkpoint: Checkpoint, newVersions: ChannelVersions): NewCheckpoint {
  const frame = packFrame(frameOf(checkpoint));
  const moved = new Set(Object.keys(newVersions));
  const values = new Map<string, unknown>();
  for (const [channel, value] of newValues(checkpoint, newVersions))
    values.set(channel, adoptValue(channel, value));
  return {
    id: checkpoint.id,
    frame,
    values,
    carries: (channel) => !moved.has(channel) && Object.hasOwn(frame.channel_versions, channel),
  };
}

export interface DrafterParts {
  readonly serde: SerializerProtocol;
  readonly values: StoredValues;
  readonly reader: CheckpointReader;
  /** Of what a state weighs. */
  readonly stateLimit: number;
}

/** Where a checkpoint comes to stand. */
export interface DraftPlace {
  readonly threadId: string;
  /** Absent when nothing of the namespace is stored yet. */
  readonly namespace: NamespaceRow | undefined;
  readonly parentId: string | undefined;
  /** What the first checkpoint of a visit may refer to. */
  readonly around: CachedCheckpoint | undefined;
  /** The whole value is written, whatever the parent has. */
  readonly isSnapshot: boolean;
}

/** A new checkpoint, compared with its parent. */
interface Step {
  readonly parent: CachedCheckpoint | undefined;
  readonly input: NewCheckpoint;
  readonly patch: StatePatch;
  readonly forms: StoredForm;
  readonly values: ReadonlyMap<string, unknown>;
  /** Channels with values that somebody could change, and how heavy these are. */
  readonly mutable: ReadonlyMap<string, number>;
  /** Whether some of these are not among the values, because they are the parent's and not remembered. */
  readonly isPartial: boolean;
}

/** How it is stored, before it is encoded. */
interface Placement {
  readonly level: number;
  readonly baseId: string | undefined;
  /** Absent when no row of the namespace is read with it. */
  readonly below: PatchChain | undefined;
  readonly body: unknown;
  readonly built: number;
  /** Of the value; absent where it is all that the body has. */
  readonly weight?: number;
}

/** The smallest patch that there could be. */
const NOTHING = { bytes: 0, built: 0 };

/** Finds out how a new checkpoint is stored: as a patch of which row, or as a snapshot. */
export class CheckpointDrafter {
  readonly #parts: DrafterParts;

  constructor(parts: DrafterParts) {
    this.#parts = parts;
  }

  /** Answers at once when there is nothing to wait for. */
  draft(cache: SaverCache, place: DraftPlace, input: NewCheckpoint): MaybePromise<CheckpointDraft> {
    const { namespace, parentId } = place;
    if (namespace === undefined || parentId === undefined) return this.#step(cache, place, input, undefined);
    const cached = cache.checkpoint(namespace.id, parentId);
    if (cached !== undefined) return this.#step(cache, place, input, cached);
    return this.#load(cache, place, input, namespace, parentId);
  }

  /** The parent with all its values. What may change while it is loaded is copied first. */
  #load(
    cache: SaverCache,
    place: DraftPlace,
    input: NewCheckpoint,
    namespace: NamespaceRow,
    parentId: string,
  ): MaybePromise<CheckpointDraft> {
    const loading = this.#parts.reader.load(cache, namespace, parentId);
    if (!isPromise(loading)) return this.#step(cache, place, input, loading);
    const named = Array.from(input.values, ([channel, value]) => ({ channel, value }));
    const forming = this.#parts.values.toStored(named, cache.replacements(place.threadId), true);
    return Promise.all([loading, forming]).then(([parent, forms]) => {
      const values = new Map(named.map(({ channel }, index) => [channel, forms.values[index]] as const));
      return chain(this.#step(cache, place, { ...input, values }, parent), (draft) => ({
        ...draft,
        blobs: [...forms.blobs, ...draft.blobs],
        remember: () => {
          forms.remember();
          draft.remember();
        },
      }));
    });
  }

  #step(
    cache: SaverCache,
    place: DraftPlace,
    input: NewCheckpoint,
    parent: CachedCheckpoint | undefined,
  ): MaybePromise<CheckpointDraft> {
    const { values } = this.#parts;
    const comparing = storedChanges(values, cache.replacements(place.threadId), (context) =>
      patchOf(input, parent, place, context, cache.comparisons),
    );
    return chain(comparing, ({ changes, forms }) =>
      this.#place(cache, place, stepOf(input, parent, changes, forms)),
    );
  }

  #place(cache: SaverCache, place: DraftPlace, step: Step): MaybePromise<CheckpointDraft> {
    const below = place.isSnapshot ? undefined : step.parent?.chain;
    const weight = Math.max((below?.weight ?? 0) + step.patch.growth, 0);
    requireFits(weight, this.#parts.stateLimit, step.values);
    const { patch } = step;
    const { body, refers } = patch;
    const due = below === undefined ? SNAPSHOT : dueLevel(below);
    if (due === 0 && below !== undefined && isCheap(below, 0, patch, weight))
      return this.#encode(step, { level: 0, baseId: undefined, below, body, built: patch.built, weight });
    if (step.isPartial && place.namespace !== undefined && place.parentId !== undefined) {
      return this.#load(cache, place, step.input, place.namespace, place.parentId);
    }
    if (below === undefined) {
      const { around } = place;
      if (around === undefined || !refers) return this.#snapshot(step);
      const built = around.chain.bases[0].built + patch.built;
      if (built > MOST_BUILT) return this.#snapshot(step);
      const outward = outwardBody(step.input.frame, body);
      return this.#encode(step, { level: OUTWARD, baseId: around.id, below, body: outward, built, weight });
    }
    for (let level = Math.max(due, 1); level < SNAPSHOT && !isLight(weight); level++) {
      // However small the patch would be.
      if (!isCheap(below, level, NOTHING, weight)) continue;
      const far = this.#farPatch(below, level, step);
      if (far === undefined || !isCheap(below, level, far, weight)) continue;
      const baseId = baseOf(below, level).id;
      return this.#encode(step, { level, baseId, below, body: far.body, built: far.built, weight });
    }
    return this.#snapshot(step);
  }

  #snapshot(step: Step): MaybePromise<CheckpointDraft> {
    const body = wholeBody(step.input.frame, step.values);
    return this.#encode(step, { level: SNAPSHOT, baseId: undefined, below: undefined, body, built: 0 });
  }

  /** Undefined when it would be the patch of a lower level. */
  #farPatch(below: PatchChain, level: number, { input, values }: Step): StatePatch | undefined {
    const { id, state } = baseOf(below, level);
    if (id === baseOf(below, level - 1).id) return undefined;
    const gone = channelsOf(state).filter((channel) => !values.has(channel));
    return diffStates(state, input.frame, values, gone, storedContext(this.#parts.values));
  }

  #encode(
    step: Step,
    { level, baseId, below, body, built, ...placed }: Placement,
  ): MaybePromise<CheckpointDraft> {
    const { input, forms, values, mutable } = step;
    const encoding = encodeBody(this.#parts.serde, body, forms.isAsGiven, () => input.values);
    return chain(encoding, (encoded) =>
      chain(sealBody(encoded, this.#parts.stateLimit), (sealed) => {
        const bytes = encoded.data.length;
        const weight = Math.round(placed.weight ?? bytes);
        const state = { frame: input.frame, values: without(values, mutable), missing: mutable };
        return {
          stored: { level, baseId, weight, body: sealed.input },
          blobs: [...forms.blobs, ...sealed.blobs],
          next: {
            id: input.id,
            state,
            chain: extend(below, { id: input.id, state, level, bytes, weight, built }),
          },
          remember: () => forms.remember(),
        };
      }),
    );
  }
}

/** How the parent's state becomes the new one. */
function patchOf(
  input: NewCheckpoint,
  parent: CachedCheckpoint | undefined,
  { around }: DraftPlace,
  context: DiffContext,
  comparisons: Comparisons,
): StatePatch {
  const { frame, values } = input;
  const old: StateBase = parent?.state ?? {
    ...NO_STATE,
    frame,
    ...(around && { around: around.state.values }),
  };
  const gone = channelsOf(old).filter((channel) => !input.carries(channel) && !values.has(channel));
  return diffStates(old, frame, values, gone, context, comparisons);
}

function stepOf(
  input: NewCheckpoint,
  parent: CachedCheckpoint | undefined,
  patch: StatePatch,
  forms: StoredForm,
): Step {
  const values = new Map<string, unknown>();
  const mutable = new Map<string, number>();
  for (const [channel, value] of parent?.state.values ?? [])
    if (input.carries(channel)) values.set(channel, value);
  for (const [channel, weight] of parent?.state.missing ?? [])
    if (input.carries(channel)) mutable.set(channel, weight);
  const isPartial = mutable.size > 0;
  for (const [channel, value] of patch.values) values.set(channel, value);
  for (const channel of forms.mutable) mutable.set(channel, weigh(values.get(channel)));
  return { parent, input, patch, forms, values, mutable, isPartial };
}

function without(
  values: ReadonlyMap<string, unknown>,
  channels: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, unknown> {
  if (channels.size === 0) return values;
  return new Map(Array.from(values).filter(([channel]) => !channels.has(channel)));
}

function channelsOf({ values, missing }: CheckpointState): string[] {
  return missing.size === 0 ? Array.from(values.keys()) : [...values.keys(), ...missing.keys()];
}
