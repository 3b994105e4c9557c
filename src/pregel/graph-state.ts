import { EMPTY, type BaseChannel } from "../channels/base.ts";
import { ManagedValue } from "../channels/managed-value.ts";
import { SingleValueChannel } from "../channels/single-value.ts";
import { UntrackedValueChannel } from "../channels/untracked-value.ts";
import { adopt, handOut } from "../values/adopt.ts";
import { TidemarkError } from "../errors.ts";
import { ChannelLoadError } from "../graph-errors.ts";
import { fix } from "../checkpoint/carry-over.ts";
import { LayeredMap } from "../checkpoint/layered-map.ts";
import type { ChannelVersion, ChannelVersions, Checkpoint } from "../checkpoint/types.ts";
import { setOwn } from "../values/set-own.ts";
import { copyRecord } from "./copy-record.ts";
import { StateViews } from "./state-views.ts";
import type { PregelGraph } from "./types.ts";

type Versions = Record<string, ChannelVersion>;

/**
 * The channels of a graph as one checkpoint left them, and what the engine knows about their versions. A run loads one
 * and moves it from superstep to superstep; reading a state loads one and throws it away.
 *
 * `seen` is shared with the checkpoints made from it: it is replaced, never changed. `versions` change until a checkpoint
 * is made: who keeps them takes a copy.
 */
export class GraphState {
  readonly graph: PregelGraph;
  readonly channels: Map<string, BaseChannel>;
  /** The newest version of any channel. */
  maxVersion: ChannelVersion | undefined;
  versions: Readonly<Versions>;
  seen: Readonly<Record<string, ChannelVersions>>;
  /** Channels that the last superstep changed; undefined, as after loading, when any node may have to run. */
  updated: readonly string[] | undefined = undefined;
  /** Available channels that live for one superstep. */
  readonly transient = new Set<string>();
  /** Whether a channel keeps what no checkpoint has. */
  hasUntracked = false;
  readonly #managed: [string, ManagedValue<unknown>][] = [];
  /** Saved channels that the graph does not have: there will be no more of them, only fewer. */
  #unknown: readonly string[];
  readonly #views: StateViews;
  /** What is saved of each channel; `EMPTY` where nothing is any more. */
  #saved: LayeredMap<unknown>;
  /** Channels whose version moved since the last checkpoint. */
  #moved = new Set<string>();
  /** Whether `versions` were given a key, or lost one: see `copyRecord`. */
  #hasNewKeys = true;
  /** Whether a checkpoint, or who reads `versions`, holds the same object. */
  #sharesVersions = true;

  constructor(graph: PregelGraph, checkpoint?: Checkpoint) {
    this.graph = graph;
    const values = checkpoint?.channel_values ?? {};
    this.#saved = LayeredMap.of(new Map(Object.entries(values)));
    this.versions = checkpoint?.channel_versions ?? {};
    this.seen = checkpoint?.versions_seen ?? {};
    this.channels = new Map();
    this.#views = new StateViews(this.channels);
    for (const [name, definition] of graph.channels) {
      const saved = Object.hasOwn(values, name) ? values[name] : EMPTY;
      const channel = loadChannel(name, definition, saved);
      this.channels.set(name, channel);
      if (channel instanceof ManagedValue) this.#managed.push([name, channel]);
      if (channel.isTransient && channel.isAvailable()) this.transient.add(name);
      if (channel instanceof UntrackedValueChannel) this.hasUntracked = true;
    }
    this.#unknown = Object.keys(values).filter((name) => !this.channels.has(name));
    for (const name of Object.keys(this.versions)) {
      const version = this.versions[name];
      if (version !== undefined) this.maxVersion = laterVersion(this.maxVersion, version);
    }
  }

  /** Tells the values that the engine gives where the run is. */
  moveTo(step: number, stop: number): void {
    for (const [name, managed] of this.#managed) {
      managed.moveTo({ step, stop });
      this.#views.noteChange(name);
    }
  }

  /** The value of a channel, safe to give to user code; undefined when it has none. */
  read(name: string): unknown {
    return handOut(this.adopted(name));
  }

  /** The same as a part of the state, of which nothing is copied: not for user code. */
  adopted(name: string): unknown {
    const channel = this.channels.get(name);
    return channel?.isAvailable() ? adopt(channel.get()) : undefined;
  }

  /** The value of a channel as it is, where it is what the channel saves. */
  held(name: string): unknown {
    const channel = this.channels.get(name);
    return channel instanceof SingleValueChannel ? channel.checkpoint() : undefined;
  }

  /** What a list of channels, or one channel, holds. With `isLazy`, what has to be copied is so when it is looked at. */
  readAll(names: readonly string[]): Record<string, unknown>;
  readAll(names: string | readonly string[], isLazy?: boolean): unknown;
  readAll(names: string | readonly string[], isLazy = false): unknown {
    if (typeof names === "string") return this.read(names);
    return this.#views.read(names, isLazy);
  }

  /** Records that these channels now have this version. */
  bump(names: readonly string[], version: ChannelVersion): void {
    if (names.length === 0) return;
    const versions = this.#ownVersions();
    for (const name of names) {
      if (!Object.hasOwn(versions, name)) this.#hasNewKeys = true;
      setOwn(versions, name, version);
      this.#moved.add(name);
    }
    this.maxVersion = version;
  }

  /** The versions, to be changed: a copy the first time after they were handed out. */
  #ownVersions(): Versions {
    const versions = this.#sharesVersions ? copyRecord(this.versions) : this.versions;
    this.versions = versions;
    this.#sharesVersions = false;
    return versions;
  }

  /** To be called after a channel was changed: keeps `transient` and what is known of values right. */
  noteChange(name: string, channel: BaseChannel): void {
    this.#views.noteChange(name);
    if (!channel.isTransient) return;
    if (channel.isAvailable()) this.transient.add(name);
    else this.transient.delete(name);
  }

  /** The next checkpoint is to hold all channels, as one that shares nothing with its parent. */
  takeAll(): void {
    for (const name of Object.keys(this.versions)) this.#moved.add(name);
  }

  /** The versions that moved since the last call, and the checkpoint that holds them. */
  takeCheckpoint(id: string, ts: string): { checkpoint: Checkpoint; newVersions: ChannelVersions } {
    if (this.#hasNewKeys) this.versions = Object.fromEntries(Object.entries(this.versions));
    this.#hasNewKeys = false;
    this.#sharesVersions = true;
    const newVersions: Versions = {};
    const changes = new Map<string, unknown>();
    const added = new Map<string, unknown>();
    for (const name of this.#moved) {
      const version = this.versions[name];
      if (version !== undefined) setOwn(newVersions, name, version);
      const channel = this.channels.get(name);
      const saved = channel === undefined ? EMPTY : adopt(channel.checkpoint());
      changes.set(name, saved);
      if (saved !== EMPTY) added.set(name, saved);
    }
    this.#moved = new Set();
    if (changes.size > 0) this.#saved = this.#saved.with(changes);
    const saved = this.#saved;
    const frame = { v: 4, id, ts, channel_versions: this.versions, versions_seen: this.seen };
    const checkpoint = fix(frame, { newVersions, added, values: () => recordOf(saved) });
    return { checkpoint, newVersions };
  }

  /** Saved channels of this graph's kind that the graph no longer has. */
  unknownChannels(prefix: string): readonly string[] {
    return this.#unknown.length === 0 ? [] : this.#unknown.filter((name) => name.startsWith(prefix));
  }

  /** Forgets saved channels: they are in no later checkpoint. */
  dropChannels(names: readonly string[]): void {
    if (names.length === 0) return;
    const versions = this.#ownVersions();
    for (const name of names) delete versions[name];
    this.#hasNewKeys = true;
    this.#unknown = this.#unknown.filter((name) => !names.includes(name));
    this.#saved = this.#saved.with(new Map(names.map((name) => [name, EMPTY])));
  }
}

function recordOf(saved: LayeredMap<unknown>): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...saved.toMap()].filter(([, value]) => value !== EMPTY));
}

/** A channel with what is saved of it; for `EMPTY` with its default. */
function loadChannel(name: string, definition: BaseChannel, saved: unknown): BaseChannel {
  try {
    return definition.fromCheckpoint(saved, adopt);
  } catch (error) {
    throw error instanceof TidemarkError ? error : new ChannelLoadError(name, error);
  }
}

/** Whether the first version is later than the second; no version is earlier than any. */
export function isLaterVersion(version: ChannelVersion, than: ChannelVersion | undefined): boolean {
  if (than === undefined) return true;
  return typeof version === "number" && typeof than === "number"
    ? version > than
    : String(version) > String(than);
}

function laterVersion(left: ChannelVersion | undefined, right: ChannelVersion): ChannelVersion {
  return left !== undefined && isLaterVersion(left, right) ? left : right;
}
