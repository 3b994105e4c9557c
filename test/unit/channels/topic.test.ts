import { describe, expect, it } from "vitest";
import { Topic } from "tidemark/channels";

describe("Topic", () => {
  it("publishes the items of a list, one level deep", () => {
    const topic = new Topic<unknown>();
    topic.update([1, [2, [3]], []]);
    expect(topic.get()).toEqual([1, 2, [3]]);
  });

  it("has values for one superstep, or for ever", () => {
    const fleeting = new Topic<number>();
    const lasting = new Topic<number>({ accumulate: true });
    for (const topic of [fleeting, lasting]) {
      topic.update([1]);
      topic.update([2, 2]);
    }
    expect(fleeting.get()).toEqual([2, 2]);
    expect(lasting.get()).toEqual([1, 2, 2]);
  });

  it("when unique, drops what it has seen in any superstep, also after a reload", () => {
    const topic = new Topic<number>({ unique: true });
    topic.update([1, [2, 1]]);
    expect(topic.get()).toEqual([1, 2]);
    topic.update([]);
    expect(topic.checkpoint()).toEqual([[1, 2], []]);
    const restored = topic.fromCheckpoint(topic.checkpoint());
    expect(restored.update([2, 1])).toBe(false);
    expect(restored.update([2, 3])).toBe(true);
    expect(restored.get()).toEqual([3]);
  });

  it("becomes empty when a unique topic gets only known values", () => {
    const topic = new Topic<number>({ unique: true });
    topic.update([1]);
    expect(topic.update([1])).toBe(true);
    expect(topic.isAvailable()).toBe(false);
  });

  it("saves its values alone unless it is unique", () => {
    const topic = new Topic<number>({ accumulate: true });
    topic.update([1, 1]);
    expect(topic.checkpoint()).toEqual([1, 1]);
  });

  it("becomes unique on a thread that was saved before it was", () => {
    const topic = new Topic<number>({ unique: true, accumulate: true }).fromCheckpoint([1, 2]);
    topic.update([2, 3]);
    expect(topic.get()).toEqual([1, 2, 3]);
    const lists = new Topic<number[]>({ unique: true }).fromCheckpoint([[1], [2], [3]]);
    expect(lists.get()).toEqual([[1], [2], [3]]);
  });

  it("knows an adopted value when it is published again", () => {
    const topic = new Topic<object>({ unique: true, accumulate: true });
    topic.update([{ id: 1 }], (value) => structuredClone(value));
    expect(topic.update([topic.get()])).toBe(false);
    expect(topic.checkpoint()).toEqual([[{ id: 1 }], [{ id: 1 }]]);
  });

  it("builds nothing new while nothing changes", () => {
    const topic = new Topic<number>({ accumulate: true });
    topic.update([1]);
    const values = topic.get();
    topic.update([]);
    expect(topic.get()).toBe(values);
    expect(topic.checkpoint()).toBe(values);
    expect(topic.fromCheckpoint(values).get()).toBe(values);
  });

  it("tells copies of one object apart, but not the object from itself", () => {
    const item = { id: 1 };
    const topic = new Topic<object>({ unique: true });
    topic.update([item, item, { id: 1 }]);
    expect(topic.get()).toHaveLength(2);
  });
});
