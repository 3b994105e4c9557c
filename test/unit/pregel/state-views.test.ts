import * as fc from "fast-check";
import { expect, it } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import { type BaseChannel, EphemeralValue, LastValue } from "tidemark/channels";
import { StateViews } from "../../../src/pregel/state-views.ts";

const names = ["a", "b", "__proto__", "c", "d"];
const value = fc.oneof(
  fc.integer(),
  fc.constant(undefined),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 3 }),
  fc.array(fc.nat()),
);
const change = fc.record({
  name: fc.constantFrom(...names, "other"),
  writes: fc.array(value, { maxLength: 1 }),
});

it("shows what the channels hold, after any changes, in the order of the names", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(change, fc.constantFrom("read" as const)), { maxLength: 20 }), (steps) => {
      const channels = new Map<string, BaseChannel>(
        [...names, "other"].map((name, index) => [name, index % 2 ? new EphemeralValue() : new LastValue()]),
      );
      const views = new StateViews(channels);
      for (const step of [...steps, "read" as const]) {
        if (step !== "read") {
          channels.get(step.name)?.update(step.writes, adopt);
          views.noteChange(step.name);
          continue;
        }
        const available = names.filter((name) => channels.get(name)?.isAvailable());
        const expected = Object.fromEntries(available.map((name) => [name, channels.get(name)?.get()]));
        for (const isLazy of [false, true])
          expect(Object.entries(views.read(names, isLazy))).toEqual(Object.entries(expected));
      }
    }),
  );
});

it("gives everybody an object, and bytes, of their own", () => {
  const channels = new Map<string, BaseChannel>([["a", new LastValue()]]);
  channels.get("a")?.update([{ bytes: new Uint8Array([1]) }], adopt);
  const views = new StateViews(channels);
  const first = views.read(names);
  (first["a"] as { bytes: Uint8Array }).bytes.fill(9);
  first["b"] = 1;
  expect(views.read(names)).toEqual({ a: { bytes: new Uint8Array([1]) } });
});

it("lists that are always new ones do not pile up", () => {
  const channel = new LastValue();
  const views = new StateViews(new Map<string, BaseChannel>([["a", channel]]));
  for (let index = 0; index < 100; index++) {
    channel.update([index]);
    views.noteChange("a");
    expect(views.read(["a"])).toEqual({ a: index });
  }
});
