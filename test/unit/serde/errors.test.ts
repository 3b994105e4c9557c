import { ContextOverflowError } from "@langchain/core/errors";
import { describe, expect, it } from "vitest";
import { ZodError } from "zod3";
import { UnserializableError } from "../../../src/errors.ts";
import { roundTrip, thrownBy } from "./support.ts";

function roundTripped(error: Error): Error {
  const loaded = roundTrip(error);
  if (!(loaded instanceof Error)) throw new Error("no error came back");
  return loaded;
}

class AppError extends TypeError {
  readonly status = 418;
  override readonly name = "AppError";
}

describe("errors", () => {
  it.each([Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError])(
    "keep their class: %o",
    (Class) => {
      const loaded = roundTripped(new Class("m"));
      expect(Object.getPrototypeOf(loaded)).toBe(Class.prototype);
      expect([loaded.name, loaded.message, loaded.cause]).toEqual([Class.name, "m", undefined]);
      expect(Object.keys(loaded)).toEqual([]);
    },
  );

  it("of a user's class come back as the built-in one that it extends, with their name and properties", () => {
    const loaded = roundTripped(new AppError("m"));
    expect(Object.getPrototypeOf(loaded)).toBe(TypeError.prototype);
    expect(loaded).toMatchObject({ name: "AppError", message: "m", status: 418 });
  });

  it("of the platform (DOMException) keep name and code", () => {
    const loaded = roundTripped(new DOMException("stopped", "AbortError"));
    expect(loaded).toBeInstanceOf(DOMException);
    expect(loaded).toMatchObject({ name: "AbortError", message: "stopped", code: 20 });
  });

  it("keep a name that was given, and an empty message", () => {
    const error = new Error();
    error.name = "Custom";
    expect(roundTripped(error)).toMatchObject({ name: "Custom", message: "" });
  });

  it("do not bring a stack back, and say what they are in its place", () => {
    const loaded = roundTripped(new RangeError("m"));
    expect(loaded.stack).toBe("RangeError: m");
    expect(Object.keys(loaded)).toEqual([]);
  });

  it("keep what was put on them", () => {
    const loaded = roundTripped(Object.assign(new Error("m"), { status: 503, meta: { a: [1n] } }));
    expect(Object.keys(loaded)).toEqual(["status", "meta"]);
    expect(loaded).toMatchObject({ status: 503, meta: { a: [1n] } });
  });

  it("of libraries are kept without what is of their class: marks under symbols, methods", () => {
    const overflow = roundTripped(ContextOverflowError.fromError(new Error("too long")));
    expect(overflow).toMatchObject({ name: "ContextOverflowError", message: "too long" });
    const invalid = roundTripped(new ZodError([{ code: "custom", path: ["a"], message: "m" }]));
    expect(invalid).toMatchObject({ name: "ZodError", issues: [{ path: ["a"], message: "m" }] });
    expect(Object.keys(invalid)).toEqual(["issues"]);
  });

  it("leave out a property that cannot be stored", () => {
    const unstorable = { socket: { open: new WeakMap() }, headers: new Headers(), retry: () => 1 };
    const given = Object.assign(new Error("m"), unstorable, { status: 503, meta: { a: 1 } });
    const loaded = roundTripped(given);
    expect(Object.keys(loaded)).toEqual(["status", "meta"]);
    expect(loaded).toMatchObject({ status: 503, meta: { a: 1 } });
  });

  it("leave out many such properties and still keep the next", () => {
    const dropped = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`p${index}`, { no: () => 1 }]),
    );
    expect(roundTripped(Object.assign(new Error("m"), dropped, { kept: { a: [1] } }))).toMatchObject({
      kept: { a: [1] },
    });
  });

  it("are refused when a cause or a code cannot be stored", () => {
    const caused = thrownBy(() => roundTrip({ failed: new Error("m", { cause: { deep: () => 1 } }) }));
    expect(caused).toBeInstanceOf(UnserializableError);
    expect(caused).toMatchObject({ path: ["failed", "cause", "deep"] });
    const aggregate = new AggregateError([new Error("ok"), Symbol("no")], "m");
    expect(thrownBy(() => roundTrip(aggregate))).toMatchObject({ path: ["errors", 1] });
  });
});
