import { EMPTY, type BaseChannel } from "../channels/base.ts";
import { adopt, handOut } from "../adopt.ts";
import type { ChannelVersion, ChannelVersions, Checkpoint } from "../checkpoint/types.ts";
import type { PregelGraph } from "./types.ts";

type Versions = Record<string, ChannelVersion>;

/**
 * The channels of a graph as one checkpoint left them, and what the engine knows about their versions. A run loads one
 * and moves it from superstep to superstep; reading a state loads one and throws it away.
 *
 * `versions`, `seen` and `values` are shared with the checkpoints made from them: they are replaced, never changed.
 */
export class GraphState {
  readonly graph: PregelGraph;
  readonly channels: Map<string, BaseChannel>;
  /** The newest version of any channel. */
  maxVersion: ChannelVersion | undefined;
  versions: Readonly<Versions>;
  seen: Readonly<Record<string, ChannelVersions>>;
  /** Channels that the last superstep changed; undefined when any node may have to run. */
  updated: readonly string[] | undefined;
  /** Available channels that live for one superstep. */
  readonly transient = new Set<string>();
  #values: Readonly<Record<string, unknown>>;
  /** Channels whose version moved since the last checkpoint. */
  #moved = new Set<string>();

  constructor(graph: PregelGraph, checkpoint?: Checkpoint) {
    this.graph = graph;
    this.#values = checkpoint?.channel_values ?? {};
    this.versions = checkpoint?.channel_versions ?? {};
    this.seen = checkpoint?.versions_seen ?? {};
    this.updated = checkpoint?.updated_channels;
    this.channels = new Map();
    for (const [name, definition] of graph.channels) {
      const saved = Object.hasOwn(this.#values, name) ? this.#values[name] : EMPTY;
      const channel = definition.fromCheckpoint(saved, adopt);
      this.channels.set(name, channel);
      if (channel.isTransient && channel.isAvailable()) this.transient.add(name);
    }
    for (const name of Object.keys(this.versions)) {
      const version = this.versions[name];
      if (version !== undefined) this.maxVersion = laterVersion(this.maxVersion, version);
    }
  }

  /** The value of a channel, safe to give to user code; undefined when it has none. */
  read(name: string): unknown {
    const channel = this.channels.get(name);
    return channel?.isAvailable() ? readChannel(channel) : undefined;
  }

  /** What a list of channels, or one channel, holds. */
  readAll(names: readonly string[]): Record<string, unknown>;
  readAll(names: string | readonly string[]): unknown;
  readAll(names: string | readonly string[]): unknown {
    if (typeof names === "string") return this.read(names);
    const result: Record<string, unknown> = {};
    for (const name of names) {
      const channel = this.channels.get(name);
      if (channel?.isAvailable()) setOwn(result, name, readChannel(channel));
    }
    return result;
  }

  /** Records that these channels now have this version. */
  bump(names: readonly string[], version: ChannelVersion): void {
    if (names.length === 0) return;
    const versions = { ...this.versions };
    for (const name of names) {
      setOwn(versions, name, version);
      this.#moved.add(name);
    }
    this.versions = versions;
    this.maxVersion = version;
  }

  /** Keeps `transient` right after a channel was changed. */
  noteAvailability(name: string, channel: BaseChannel): void {
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
    const newVersions: Versions = {};
    if (this.#moved.size > 0) {
      const values = { ...this.#values };
      for (const name of this.#moved) {
        const version = this.versions[name];
        if (version !== undefined) setOwn(newVersions, name, version);
        const channel = this.channels.get(name);
        const saved = channel === undefined ? EMPTY : channel.checkpoint();
        if (saved === EMPTY) delete values[name];
        else setOwn(values, name, adopt(saved));
      }
      this.#values = values;
      this.#moved = new Set();
    }
    const checkpoint: Checkpoint = {
      v: 4,
      id,
      ts,
      channel_values: this.#values,
      channel_versions: this.versions,
      versions_seen: this.seen,
      ...(this.updated === undefined ? {} : { updated_channels: this.updated }),
    };
    return { checkpoint, newVersions };
  }

  /** Saved channels of this graph's kind that the graph no longer has. */
  unknownChannels(prefix: string): readonly string[] {
    return Object.keys(this.#values).filter((name) => name.startsWith(prefix) && !this.channels.has(name));
  }

  /** Forgets saved channels: they are in no later checkpoint. */
  dropChannels(names: readonly string[]): void {
    if (names.length === 0) return;
    const versions = { ...this.versions };
    const values = { ...this.#values };
    for (const name of names) {
      delete versions[name];
      delete values[name];
    }
    this.versions = versions;
    this.#values = values;
  }
}

function readChannel(channel: BaseChannel): unknown {
  return handOut(adopt(channel.get()));
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

/** Sets a property of the object's own, also when it is called `__proto__`. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else target[key] = value;
}
