import { expect } from "vitest";
import type { BaseCheckpointSaver } from "../../../src/checkpoint/saver.ts";
import type {
  Checkpoint,
  CheckpointConfig,
  CheckpointPendingWrite,
  CheckpointTuple,
} from "../../../src/checkpoint/types.ts";
import { loss } from "../../unit/serde/same.ts";
import { checkpointOf, collect, METADATA, threadConfig } from "../fixtures.ts";
import { spoil } from "../parts.ts";
import { NaiveSaver } from "./naive-saver.ts";
import { Random } from "./random.ts";
import { Values } from "./values.ts";

/** A saver under test that can lose all it has in memory. */
export interface ModelSaver {
  readonly saver: BaseCheckpointSaver;
  evict(): void;
}

/** By namespace, the graphs around it. Those of tasks are what belongs to one checkpoint of each, the other is a history of many visits. */
const AROUND: Readonly<Record<string, readonly string[]>> = {
  "": [],
  "sub|1": [],
  "visit:1": [""],
  "visit:1|1": [""],
  "visit:1|deep:2": ["", "visit:1"],
};
const NAMESPACES = Object.keys(AROUND);
const NESTED = NAMESPACES.slice(1);
const CHANNELS = ["log", "doc", "any", "__proto__", "__start__", "__pregel_tasks"] as const;
const CHANNEL_COUNT = CHANNELS.length;

type Channels = Checkpoint["channel_values"];

/** Does the same to a saver and to a naive one, as a seed says, and compares what is read. */
export class SaverModel {
  readonly #open: ModelSaver;
  readonly #random: Random;
  readonly #values: Values;
  readonly #naive = new Map<string, NaiveSaver>(NAMESPACES.map((ns) => [ns, new NaiveSaver()]));
  readonly #seed: number;
  readonly #thread: string;
  #isGrowing = false;

  constructor(open: ModelSaver, seed: number) {
    this.#open = open;
    this.#seed = seed;
    this.#thread = `thread ${seed}`;
    this.#random = new Random(seed);
    this.#values = new Values(this.#random);
  }

  /** In the steps of `growth` nothing is removed, and branches are few: values come to be many rows away from the first. */
  async run(steps: number, growth = 0): Promise<void> {
    for (let step = 0; step < growth + steps; step++) {
      this.#isGrowing = step < growth;
      try {
        await this.#step();
      } catch (cause) {
        throw new Error(`Seed ${this.#seed} fails in step ${step}.`, { cause });
      }
    }
    this.#open.evict();
    for (const ns of NAMESPACES) for (const id of this.#of(ns).ids) await this.#check(ns, id);
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const ns = random.once(this.#isGrowing ? 20 : 3) ? (NESTED[random.below(NESTED.length)] ?? "") : "";
    if (random.once(3)) await this.#checkNewest();
    switch (random.below(this.#isGrowing ? 10 : 12)) {
      case 10:
        return this.#remove();
      case 11:
        return this.#copy();
      case 0:
        return this.#open.evict();
      case 1:
        return this.#putWrites(ns);
      case 2:
        return this.#list(ns);
      case 3:
        return this.#check(ns, this.#someId(ns));
      default:
        return this.#put(ns);
    }
  }

  async #put(ns: string): Promise<void> {
    const random = this.#random;
    const naive = this.#of(ns);
    const parentId = random.once(this.#isGrowing ? 60 : 4) ? this.#someId(ns) : naive.ids.at(-1);
    const parent = parentId === undefined ? undefined : await this.#valuesOf(ns, parentId);
    const stored = naive.read(parentId ?? "");
    const channels = { ...stored?.checkpoint.channel_versions };
    const parents = stored?.metadata.parents ?? this.#parentsOf(ns);
    const [outer = ""] = AROUND[ns]?.slice(-1) ?? [];
    const around = parents[outer] === undefined ? {} : await this.#valuesOf(outer, parents[outer]);
    const values: Record<string, unknown> = {};
    const newVersions: Record<string, number> = {};
    for (let count = random.below(3); count >= 0; count--) {
      const channel = CHANNELS[random.below(CHANNEL_COUNT)] ?? "any";
      setOwn(channels, channel, naive.ids.length + 2);
      setOwn(newVersions, channel, naive.ids.length + 2);
      if (random.once(10)) continue;
      const before = Object.hasOwn(parent ?? {}, channel) ? parent?.[channel] : this.#values.messages();
      const value = random.once(3) ? this.#elsewhere(channel, around, parent ?? {}) : undefined;
      setOwn(values, channel, value ?? this.#values.next(before));
    }
    if (random.once(12)) for (const record of [channels, newVersions, values]) delete record["doc"];
    const seen = { node: { ...channels } };
    const id = random.once(this.#isGrowing ? 100 : 15) ? this.#someId(ns) : undefined;
    const checkpoint = checkpointOf(values, {
      channel_versions: channels,
      versions_seen: seen,
      ...(id !== undefined && { id }),
    });
    const metadata = {
      ...METADATA,
      parents,
      step: random.below(5),
      tag: random.below(2),
      run_id: this.#someRun(),
    };
    const config = threadConfig(this.#thread, ns, parentId);
    await this.#open.saver.put(config, checkpoint, metadata, newVersions);
    naive.put(parentId, checkpoint, metadata, newVersions);
    await this.#check(ns, checkpoint.id);
  }

  /** What stands in some channel, as a node sends it, a graph inside a node begins with it, or a node overwrites another with it. */
  #elsewhere(channel: string, around: Channels, own: Channels): unknown {
    const random = this.#random;
    const begun = own["__start__"];
    const held: Record<string, unknown> = {};
    // Of two channels, which have nothing of others: values would come to be twice as long again and again.
    for (const values of [around, own, typeof begun === "object" && begun !== null ? begun : {}])
      for (const name of ["log", "doc"])
        if (Object.hasOwn(values, name)) held[name] = Reflect.get(values, name);
    const value = held[random.among(["log", "doc"])];
    if (value === undefined) return undefined;
    if (channel === "__pregel_tasks")
      return Array.from({ length: random.below(4) }, (_, call) => ({ node: "n", args: { ...held, call } }));
    if (channel === "log" || channel === "doc") return random.once(2) ? value : this.#values.next(value);
    return random.among<() => unknown>([
      () => ({ ...held, more: this.#values.message() }),
      () => ({ first: value, again: [value] }),
      () => ({ __overwrite__: this.#values.next(value) }),
      () => value,
    ])();
  }

  /** A checkpoint of each of the graphs around. */
  #parentsOf(ns: string): Record<string, string> {
    const random = this.#random;
    const parents: Record<string, string> = {};
    for (const outer of (AROUND[ns] ?? []).toReversed()) {
      const id = random.once(4) ? this.#someId(outer) : this.#of(outer).ids.at(-1);
      if (id !== undefined)
        Object.assign(parents, this.#of(outer).read(id)?.metadata.parents, { [outer]: id });
    }
    return parents;
  }

  async #remove(): Promise<void> {
    const random = this.#random;
    const { saver } = this.#open;
    if (random.once(8)) {
      await saver.deleteThread(this.#thread);
      for (const naive of this.#naive.values()) naive.remove(new Set(naive.ids));
    } else if (random.once(2)) {
      const run = this.#someRun();
      await saver.deleteForRuns([run]);
      this.#removeOf((naive) => naive.ids.filter((id) => naive.read(id)?.metadata.run_id === run));
    } else {
      const keepLast = 1 + random.below(6);
      await saver.prune([this.#thread], { keepLast });
      this.#removeOf((naive) => naive.ids.slice(0, -keepLast));
    }
    await this.#checkAll(this.#thread);
  }

  /** With what belongs to it in the graphs inside. */
  #removeOf(select: (naive: NaiveSaver) => readonly string[]): void {
    const removed = new Map<string, ReadonlySet<string>>();
    for (const [ns, naive] of this.#naive) {
      const lost = naive.ids.filter((id) =>
        Object.entries(naive.read(id)?.metadata.parents ?? {}).some(([outer, parent]) =>
          removed.get(outer)?.has(parent),
        ),
      );
      removed.set(ns, new Set([...select(naive), ...lost]));
    }
    for (const [ns, naive] of this.#naive) naive.remove(removed.get(ns) ?? new Set());
  }

  /** To a thread that is gone again afterwards. */
  async #copy(): Promise<void> {
    const { saver } = this.#open;
    const copy = `copy of ${this.#thread}`;
    await saver.copyThread(this.#thread, copy);
    await this.#checkAll(copy);
    await saver.deleteThread(copy);
    await this.#checkAll(this.#thread);
  }

  async #checkAll(thread: string): Promise<void> {
    for (const ns of NAMESPACES) {
      const { ids } = this.#of(ns);
      const listed = await collect(this.#open.saver, threadConfig(thread, ns));
      expect(listed.map(({ checkpoint }) => checkpoint.id)).toEqual(ids.toReversed());
      for (const tuple of listed) this.#compare(ns, tuple.checkpoint.id, tuple);
    }
  }

  #someRun(): string {
    return `run ${this.#random.below(4)} of ${this.#thread}`;
  }

  async #putWrites(ns: string): Promise<void> {
    const random = this.#random;
    const id = random.once(2) ? this.#someId(ns) : this.#of(ns).ids.at(-1);
    if (id === undefined) return;
    const before = await this.#valuesOf(ns, id);
    const writes = Array.from({ length: 1 + random.below(3) }, () => {
      const channel = random.among(["log", "doc", "any", "__pregel_tasks", "__interrupt__", "__resume__"]);
      if (random.once(3)) {
        const [value] = [this.#elsewhere(channel, {}, before)].flat();
        if (value !== undefined) return [channel, value] as const;
      }
      const isNext = Object.hasOwn(before, channel) && !random.once(4);
      return [channel, isNext ? this.#values.next(before[channel]) : this.#values.any()] as const;
    });
    const task = `task ${random.below(3)}`;
    await this.#open.saver.putWrites(threadConfig(this.#thread, ns, id), writes, task);
    this.#of(ns).putWrites(id, writes, task);
    await this.#check(ns, id);
  }

  async #list(ns: string): Promise<void> {
    const random = this.#random;
    const naive = this.#of(ns);
    const [step, limit, before] = [random.below(5), 1 + random.below(6), this.#someId(ns)];
    const expected = naive.ids
      .filter((id) => before === undefined || id < before)
      .filter((id) => naive.read(id)?.metadata.step === step)
      .toReversed()
      .slice(0, limit);
    const options = {
      filter: { step },
      limit,
      ...(before !== undefined && { before: threadConfig(this.#thread, ns, before) }),
    };
    const listed = await collect(this.#open.saver, threadConfig(this.#thread, ns), options);
    expect(listed.map(({ checkpoint }) => checkpoint.id)).toEqual(expected);
    for (const tuple of listed) this.#compare(ns, tuple.checkpoint.id, tuple);
  }

  async #checkNewest(): Promise<void> {
    for (const ns of NAMESPACES) {
      const newest = await this.#open.saver.getTuple(threadConfig(this.#thread, ns));
      const id = this.#of(ns).ids.at(-1);
      expect(newest?.checkpoint.id).toBe(id);
      if (id !== undefined) this.#compare(ns, id, newest);
    }
  }

  async #check(ns: string, id: string | undefined): Promise<void> {
    if (id === undefined) return;
    this.#compare(ns, id, await this.#open.saver.getTuple(threadConfig(this.#thread, ns, id)));
  }

  /** What a reader changes in place is its own: the values have nothing of the writes, and what is read later nothing of both. */
  #compare(ns: string, id: string, actual: CheckpointTuple | undefined): void {
    const naive = this.#of(ns);
    const expected = naive.read(id);
    if (actual === undefined || expected === undefined) throw new Error(`Checkpoint ${id} is not there.`);
    expectWrites(actual.pendingWrites ?? [], naive.writes(id));
    spoil(actual.pendingWrites);
    const { channel_values: values, ...frame } = actual.checkpoint;
    const { channel_values: expectedValues, ...expectedFrame } = expected.checkpoint;
    expectSame("frame", sorted(frame), sorted(expectedFrame));
    expectSame("metadata", sorted(actual.metadata ?? {}), sorted(expected.metadata));
    expectSame("parent", idOf(actual.parentConfig), expected.parentId);
    expectSame("channels", Object.keys(values).toSorted(), Object.keys(expectedValues).toSorted());
    for (const channel of Object.keys(values))
      expectSame(`channel ${channel}`, values[channel], expectedValues[channel]);
    spoil(values);
  }

  /** As a graph has them: from the saver; or as anybody: from elsewhere. */
  async #valuesOf(ns: string, id: string): Promise<Checkpoint["channel_values"]> {
    const isOurs = this.#random.once(2);
    const ours = isOurs
      ? await this.#open.saver.getTuple(threadConfig(this.#thread, ns, id))
      : this.#of(ns).read(id);
    return ours?.checkpoint.channel_values ?? {};
  }

  #someId(ns: string): string | undefined {
    const { ids } = this.#of(ns);
    return ids[this.#random.below(ids.length)];
  }

  #of(ns: string): NaiveSaver {
    const naive = this.#naive.get(ns);
    if (naive === undefined) throw new Error(`There is no namespace "${ns}".`);
    return naive;
  }
}

function expectWrites(
  actual: readonly CheckpointPendingWrite[],
  expected: readonly CheckpointPendingWrite[],
): void {
  const names = (writes: readonly CheckpointPendingWrite[]) =>
    writes.map(([task, channel]) => `${task} ${channel}`).toSorted();
  expect(names(actual)).toEqual(names(expected));
  for (const [task, channel, value] of expected) {
    const same = actual.filter((write) => write[0] === task && write[1] === channel);
    if (!same.some((write) => loss(value, write[2]) === undefined)) throw new Error(`${task} ${channel}`);
  }
}

/** Parts may be shared that were equal; what was shared still is. */
function expectSame(what: string, actual: unknown, expected: unknown): void {
  const found = loss(expected, actual);
  if (found !== undefined) throw new Error(`The ${what} differs at ${found}.`);
}

/** The order of keys is the store's own in records of known keys. */
function sorted(record: object): unknown {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function idOf(config: CheckpointConfig | undefined): string | undefined {
  return config?.configurable?.checkpoint_id;
}

function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
