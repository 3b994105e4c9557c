import { describe, expect, it } from "vitest";
import {
  AnyValue,
  EMPTY,
  EphemeralValue,
  LastValue,
  LastValueAfterFinish,
  UntrackedValueChannel,
} from "tidemark/channels";

describe("LastValue", () => {
  it("keeps the last value through supersteps without writes", () => {
    const channel = new LastValue<number>();
    channel.update([1]);
    channel.update([2]);
    channel.update([]);
    expect(channel.get()).toBe(2);
  });

  it("says how to combine parallel writes, with LangGraph's code", () => {
    const channel = new LastValue<number>();
    expect(() => channel.update([1, 2])).toThrow(/got 2\b.*reducer.*Annotation\(/);
    expect(() => channel.update([1, 2])).toThrow(
      expect.objectContaining({
        name: "InvalidUpdateError",
        lc_error_code: "INVALID_CONCURRENT_GRAPH_UPDATE",
        details: { count: 2 },
      }),
    );
  });

  it.each([undefined, null])("tells a saved %s from no value", (value) => {
    const channel = new LastValue<unknown>(() => "initial");
    channel.update([value]);
    expect(channel.checkpoint()).toBe(value);
    const restored = channel.fromCheckpoint(channel.checkpoint());
    expect(restored.isAvailable()).toBe(true);
    expect(restored.get()).toBe(value);
  });

  it("starts from the initial value only when nothing was saved", () => {
    const channel = new LastValue<number>(() => 7);
    expect(channel.fromCheckpoint().get()).toBe(7);
    expect(channel.fromCheckpoint(EMPTY).get()).toBe(7);
    expect(channel.fromCheckpoint(0).get()).toBe(0);
  });

  it("asks for an initial value once per channel", () => {
    const channel = new LastValue(() => ({}));
    expect(channel.fromCheckpoint().get()).not.toBe(channel.get());
  });
});

describe("LastValueAfterFinish", () => {
  it("shows the last value between finish and consume", () => {
    const channel = new LastValueAfterFinish<number>();
    expect(channel.finish()).toBe(false);
    channel.update([1, 2]);
    expect(channel.consume()).toBe(false);
    expect(channel.isAvailable()).toBe(false);
    expect(channel.finish()).toBe(true);
    expect(channel.get()).toBe(2);
    expect(channel.consume()).toBe(true);
    expect(channel.isAvailable()).toBe(false);
    expect(channel.finish()).toBe(false);
  });

  it("holds back again when written after finish", () => {
    const channel = new LastValueAfterFinish<number>();
    channel.update([1]);
    channel.finish();
    channel.update([2]);
    expect(channel.isAvailable()).toBe(false);
    expect(channel.checkpoint()).toEqual([2, false]);
    channel.finish();
    expect(channel.checkpoint()).toEqual([2, true]);
  });
});

describe("AnyValue", () => {
  it("keeps the last of several writes for one superstep", () => {
    const channel = new AnyValue<number>();
    channel.update([1, 2]);
    expect(channel.get()).toBe(2);
    expect(channel.update([])).toBe(true);
    expect(channel.isAvailable()).toBe(false);
    expect(channel.update([])).toBe(false);
  });
});

describe("EphemeralValue", () => {
  it("is guarded unless told otherwise", () => {
    expect(() => new EphemeralValue<number>().update([1, 2])).toThrow(/got 2\b.*guard false/);
    const channel = new EphemeralValue<number>(false);
    channel.update([1, 2]);
    expect(channel.get()).toBe(2);
    expect(() => channel.fromCheckpoint().update([1, 2])).not.toThrow();
  });
});

describe("UntrackedValueChannel", () => {
  it("lives through supersteps without writes and is never saved", () => {
    const channel = new UntrackedValueChannel<number>();
    channel.update([1]);
    expect(channel.update([])).toBe(false);
    expect(channel.get()).toBe(1);
    expect(channel.checkpoint()).toBe(EMPTY);
  });

  it("ignores saved content", () => {
    expect(new UntrackedValueChannel<number>().fromCheckpoint(5).isAvailable()).toBe(false);
    expect(new UntrackedValueChannel({ initialValueFactory: () => 1 }).fromCheckpoint(5).get()).toBe(1);
  });

  it("is guarded unless told otherwise", () => {
    expect(() => new UntrackedValueChannel<number>().update([1, 2])).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/got 2\b.*guard: false/),
        lc_error_code: "INVALID_CONCURRENT_GRAPH_UPDATE",
      }),
    );
    const channel = new UntrackedValueChannel<number>({ guard: false });
    channel.update([1, 2]);
    expect(channel.get()).toBe(2);
    expect(() => channel.fromCheckpoint().update([1, 2])).not.toThrow();
  });
});
