import { describe, expect, it } from "vitest";
import { type Adopt, type BaseChannel, EMPTY } from "tidemark/channels";
import { EmptyChannelError, InvalidUpdateError } from "../../../src/graph-errors.ts";

/** One call of the engine. */
export type Step = { readonly update: readonly unknown[] } | "consume" | "finish";

export interface ChannelCase {
  readonly name: string;
  readonly make: () => BaseChannel;
  /** The value of a new channel; without one it is empty. */
  readonly initial?: { readonly value: unknown };
  /** What an empty channel saves, if not `EMPTY`. */
  readonly savedWhenEmpty?: unknown;
  /** Steps that make the channel available at some point. They write objects wherever the channel takes objects. */
  readonly steps: readonly Step[];
  /** Writes that it refuses. */
  readonly invalid?: readonly unknown[];
  readonly transient: boolean;
  /** False for a channel that is never saved. */
  readonly saved?: boolean;
}

/** What everything outside can see of a channel. */
export function observe(channel: BaseChannel) {
  const available = channel.isAvailable();
  return { available, value: available ? channel.get() : EMPTY, saved: channel.checkpoint() };
}

/** What every channel has to do, whatever its kind. */
export function testChannel(test: ChannelCase): void {
  describe(test.name, () => {
    testStart(test);
    testSaving(test);
    testUpdates(test);
    testAdopt(test);
  });
}

function testStart({ make, initial, savedWhenEmpty = EMPTY, saved = true }: ChannelCase): void {
  it.each([
    ["new", () => make()],
    ["restored from nothing", () => make().fromCheckpoint()],
    ["restored from EMPTY", () => make().fromCheckpoint(EMPTY)],
  ])("a %s channel has its default content", (_, start) => {
    const channel = start();
    if (initial === undefined) {
      expect(channel.isAvailable()).toBe(false);
      expect(() => channel.get()).toThrow(EmptyChannelError);
      expect(channel.checkpoint()).toEqual(savedWhenEmpty);
    } else {
      expect(channel.isAvailable()).toBe(true);
      expect(channel.get()).toEqual(initial.value);
      expect(channel.checkpoint()).toEqual(saved ? initial.value : EMPTY);
    }
  });

  it("means the same channel as itself", () => {
    const channel = make();
    expect(channel.equals(channel)).toBe(true);
  });
}

function testSaving({ make, steps, saved = true }: ChannelCase): void {
  it("restores into a new channel and leaves the old one alone", () => {
    for (const channel of whenAvailable({ make, steps })) {
      const before = observe(channel);
      const other = channel.fromCheckpoint(channel.checkpoint());
      expect(other).not.toBe(channel);
      for (const step of steps) run(other, step);
      expect(observe(channel)).toEqual(before);
    }
  });

  it("never changes what it was given or has returned", () => {
    let channel = make();
    const seen: { readonly value: unknown; readonly copy: unknown }[] = [];
    for (const step of steps) {
      run(channel, step);
      const { value, saved: content } = observe(channel);
      for (const given of [value, content]) {
        if (typeof given === "object") seen.push({ value: given, copy: structuredClone(given) });
      }
      if (saved) channel = channel.fromCheckpoint(channel.checkpoint());
    }
    for (const { value, copy } of seen) expect(value).toEqual(copy);
  });

  it("works on frozen values", () => {
    let channel = make();
    for (const step of steps) {
      run(channel, deepFreeze(step));
      const content = observe(channel);
      deepFreeze(content);
      if (saved) channel = channel.fromCheckpoint(channel.checkpoint());
      expect(observe(channel)).toEqual(content);
    }
  });

  if (!saved) return;
  it("is the same after it was saved and restored, at every step, and goes on the same", () => {
    const channel = make();
    let reloaded = make();
    for (const step of steps) {
      expect(run(reloaded, step)).toBe(run(channel, step));
      reloaded = reloaded.fromCheckpoint(reloaded.checkpoint());
      expect(observe(reloaded)).toEqual(observe(channel));
    }
  });
}

function testUpdates({ make, steps, invalid, transient }: ChannelCase): void {
  it("is changed by a superstep without writes only when it is transient", () => {
    const channels = whenAvailable({ make, steps });
    expect(channels.length).toBeGreaterThan(0);
    for (const channel of channels) {
      const before = observe(channel);
      expect(channel.isTransient).toBe(transient);
      expect(channel.update([])).toBe(transient);
      if (transient) expect(channel.isAvailable()).toBe(false);
      else expect(observe(channel)).toEqual(before);
    }
  });

  it("says whether it changed", () => {
    const channel = make();
    for (const step of steps) {
      const before = observe(channel);
      // A write of an equal value counts as a change: the channel has been written.
      if (!run(channel, step)) expect(observe(channel)).toEqual(before);
    }
  });

  if (invalid === undefined) return;
  it("changes nothing when it refuses the writes", () => {
    const channel = make();
    for (const step of [undefined, ...steps]) {
      if (step !== undefined) run(channel, step);
      const before = observe(channel);
      expect(() => channel.update(invalid)).toThrow(InvalidUpdateError);
      expect(observe(channel)).toEqual(before);
    }
  });
}

const refuse: Adopt = () => {
  throw new TypeError("cannot adopt");
};

function testAdopt({ make, steps }: ChannelCase): void {
  it("keeps only what was adopted", () => {
    const { adopt, isAdopted } = adopter();
    const channel = make().fromCheckpoint(EMPTY, adopt);
    expect(isAdopted(observe(channel).value)).toBe(true);
    for (const step of steps) {
      run(channel, step, adopt);
      expect(isAdopted(observe(channel).value)).toBe(true);
      const content = channel.checkpoint();
      const restored = channel.fromCheckpoint(content === EMPTY ? EMPTY : structuredClone(content), adopt);
      expect(isAdopted(observe(restored).value)).toBe(true);
    }
  });

  it("leaves the writer's objects as they are", () => {
    const { adopt } = adopter();
    const channel = make().fromCheckpoint(EMPTY, adopt);
    const own = structuredClone(steps);
    for (const step of own) run(channel, step, adopt);
    expect(own).toEqual(steps);
    expect(own.some(hasFrozenPart)).toBe(false);
  });

  it("changes nothing when a value cannot be adopted", () => {
    const channel = make();
    for (const step of steps) {
      if (typeof step !== "string") {
        const before = observe(channel);
        try {
          channel.update(step.update, refuse);
        } catch (error) {
          expect(error).toEqual(new TypeError("cannot adopt"));
          expect(observe(channel)).toEqual(before);
          channel.update(step.update);
        }
      } else run(channel, step);
    }
  });
}

export function run(channel: BaseChannel, step: Step, adopt?: Adopt): boolean {
  return typeof step === "string" ? channel[step]() : channel.update(step.update, adopt);
}

/** The channel as it is after each prefix of the steps that leaves it available. */
function whenAvailable({ make, steps }: Pick<ChannelCase, "make" | "steps">): BaseChannel[] {
  const channels = steps.map((_, index) => {
    const channel = make();
    for (const step of steps.slice(0, index + 1)) run(channel, step);
    return channel;
  });
  return channels.filter((channel) => channel.isAvailable());
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

function hasFrozenPart(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.isFrozen(value) || Object.values(value).some(hasFrozenPart);
}

/** A model of what the engine does: copies and freezes what is new, and knows what it has copied. */
function adopter() {
  const adopted = new WeakSet();
  const copy = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || adopted.has(value)) return value;
    const made = Array.isArray(value)
      ? value.map(copy)
      : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)]));
    adopted.add(made);
    return Object.freeze(made);
  };
  const adopt: Adopt = <T>(value: T) => copy(value) as T;
  const isAdopted = (value: unknown): boolean =>
    typeof value !== "object" ||
    value === null ||
    (adopted.has(value) && Object.values(value).every(isAdopted));
  return { adopt, isAdopted };
}
