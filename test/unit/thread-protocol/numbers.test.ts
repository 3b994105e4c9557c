import { describe, expect, it } from "vitest";
import { assert, integer, property, record } from "fast-check";
import { matches, Subscriptions } from "../../../src/http/protocol/subscriptions.ts";
import { atEnd, eventNumber, lastNumber, placeOf } from "../../../src/thread/feed/event-number.ts";

const numbered = record({
  place: integer({ min: 1, max: 2 ** 21 - 1 }),
  position: record({
    attempt: integer({ min: 0, max: 510 }),
    seq: integer({ min: 0, max: 2 ** 23 - 1 }),
  }),
});

describe("the number of an event", () => {
  it("says where the event is, and is a whole number that JavaScript can hold", () => {
    assert(
      property(numbered, (at) => {
        const number = eventNumber(at);
        expect(Number.isSafeInteger(number)).toBe(true);
        expect(placeOf(number)).toEqual(at);
      }),
    );
  });

  it("grows from run to run, from attempt to attempt and within one", () => {
    const key = ({ place, position: { attempt, seq } }: Parameters<typeof eventNumber>[0]) =>
      place * 1e13 + attempt * 1e8 + seq;
    assert(
      property(numbered, numbered, (left, right) => {
        const order = Math.sign(eventNumber(left) - eventNumber(right));
        expect(order).toBe(Math.sign(key(left) - key(right)));
      }),
    );
  });

  it("of a run's end is the last of the run", () => {
    expect(eventNumber({ place: 3, position: atEnd(1, 2) })).toBe(lastNumber(3));
    expect(eventNumber({ place: 4, position: { attempt: 0, seq: 0 } })).toBe(lastNumber(3) + 1);
  });
});

const event = (channel: string, ...namespace: string[]) => ({
  number: 1,
  method: channel,
  channel,
  namespace,
  text: "",
});

describe("a filter", () => {
  it.each([
    ["its channels", { channels: ["values"] }, event("values"), true],
    ["no other channels", { channels: ["values"] }, event("updates"), false],
    ["a namespace", { channels: ["values"], namespaces: [["a:1"]] }, event("values", "a:1", "b:2"), true],
    ["a node's name", { channels: ["values"], namespaces: [["a"]] }, event("values", "a:1"), true],
    ["no other namespace", { channels: ["values"], namespaces: [["a:2"]] }, event("values", "a:1"), false],
    ["not what is around it", { channels: ["values"], namespaces: [["a"]] }, event("values"), false],
    [
      "what is deep enough",
      { channels: ["values"], namespaces: [[]], depth: 1 },
      event("values", "a:1"),
      true,
    ],
    [
      "nothing deeper",
      { channels: ["values"], namespaces: [[]], depth: 1 },
      event("values", "a:1", "b:1"),
      false,
    ],
  ])("wants %s", (_, filter, told, isWanted) => {
    expect(matches(filter, told)).toBe(isWanted);
  });
});

describe("a filter of custom events", () => {
  const custom = (data: object) => ({ ...event("custom"), text: JSON.stringify({ params: { data } }) });

  it("wants those of its names, or all of them", () => {
    const named = { channels: ["custom:status"] };
    expect(matches(named, custom({ name: "status", payload: 1 }))).toBe(true);
    expect(matches(named, custom({ name: "other", payload: 1 }))).toBe(false);
    expect(matches(named, custom({ payload: 1 }))).toBe(false);
    expect(matches({ channels: ["custom"] }, custom({ name: "status" }))).toBe(true);
    const subscriptions = new Subscriptions();
    subscriptions.add("a", { channels: ["custom:status", "custom:other", "values"] });
    expect(subscriptions.channels).toEqual(["custom", "values"]);
  });
});

describe("subscriptions", () => {
  it("begin where the one that is furthest behind is, and want nothing twice", () => {
    const subscriptions = new Subscriptions();
    const at = (number: number, channel: string) => ({ ...event(channel), number });
    subscriptions.add("a", { channels: ["values"] });
    expect([1, 2, 3].map((number) => subscriptions.wants(at(number, "values")))).toEqual([true, true, true]);
    expect(subscriptions.since).toBe(3);
    subscriptions.add("b", { channels: ["updates", "values"] }, 1);
    expect(subscriptions.since).toBe(1);
    expect(subscriptions.channels).toEqual(["updates", "values"]);
    expect(subscriptions.wants(at(2, "values"))).toBe(true);
    subscriptions.remove("b");
    subscriptions.add("b", { channels: ["updates"] }, 2);
    expect(subscriptions.wants(at(3, "values"))).toBe(false);
    expect(subscriptions.wants(at(4, "values"))).toBe(true);
    expect(subscriptions.wants(at(5, "custom"))).toBe(false);
  });

  it("begin anew with an event that does not come after what was heard: it is of another thread", () => {
    const subscriptions = new Subscriptions();
    subscriptions.add("a", { channels: ["values"] }, 7);
    expect(subscriptions.wants({ ...event("values"), number: 1 })).toBe(true);
    expect(subscriptions.since).toBe(1);
  });
});
