import { describe, expect, it, vi } from "vitest";
import { InvalidArgumentError } from "../../../src/errors.ts";
import { Log, type LogLevel, type LogOptions, type LogRecord } from "../../../src/log.ts";

function noted(options: LogOptions, work: (log: Log) => void): LogRecord[] {
  const records: LogRecord[] = [];
  work(new Log({ sink: (record) => records.push(record), ...options }, () => 0));
  return records;
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

describe("Log", () => {
  it.for([
    ["debug", levels],
    ["info", levels.slice(1)],
    [undefined, levels.slice(2)],
    ["error", levels.slice(3)],
    ["silent", []],
  ] as const)("at the level %s notes what is %j", ([level, expected]) => {
    const records = noted({ ...(level && { level }) }, (log) =>
      levels.forEach((each) => log.note(each, "e")),
    );
    expect(records.map((record) => record.level)).toEqual(expected);
  });

  it("adds the fields of the part of the program, as they are by then", () => {
    let thread_id: string | undefined;
    const records = noted({}, (log) => {
      const within = log.within(() => ({ tenant: "a" })).within(() => ({ thread_id }));
      within.note("warn", "first");
      thread_id = "t";
      within.note("warn", "second", { run_id: "r" });
    });
    const common = { time: "1970-01-01T00:00:00.000Z", level: "warn", tenant: "a" };
    expect(records).toEqual([
      { ...common, event: "first" },
      { ...common, event: "second", thread_id: "t", run_id: "r" },
    ]);
  });

  it("has payloads only when they are asked for, as JSON has them", () => {
    const note = (log: Log): void => log.note("warn", "run.failed", {}, () => ({ message: new Date(0) }));
    expect(noted({}, note)[0]).not.toHaveProperty("message");
    expect(noted({ payloads: true }, note)).toMatchObject([{ message: "1970-01-01T00:00:00.000Z" }]);
  });

  it("notes faults with their code, or their name, and their stack", () => {
    const cause = new TypeError("inner");
    const records = noted({}, (log) => {
      log.fault(new InvalidArgumentError("invalid_limit", "outer", { cause }), { run_id: "r" });
      log.fault(cause);
      log.fault("text");
    });
    expect(records).toMatchObject([
      {
        level: "error",
        event: "fault",
        run_id: "r",
        code: "invalid_limit",
        message: "outer",
        cause: { message: "inner" },
        stack: expect.stringContaining("log.test.ts"),
      },
      { code: "TypeError" },
      { code: "Error", message: "text" },
    ]);
  });

  it("writes lines of JSON to the console", () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    new Log({}, () => 0).note("warn", "run.failed", { code: "x" });
    expect(warn.mock.calls).toEqual([
      ['{"time":"1970-01-01T00:00:00.000Z","level":"warn","event":"run.failed","code":"x"}'],
    ]);
    warn.mockRestore();
  });

  it("does no harm where its sink fails, at once or later", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    const [fault, later] = [new Error("full"), new Error("not reached")];
    noted(failing(fault), (log) => log.note("error", "e"));
    noted({ sink: () => Promise.reject(later) }, (log) => log.note("error", "e"));
    await expect.poll(() => error.mock.calls).toEqual([[fault], [later]]);
    error.mockRestore();
  });
});

function failing(fault: Error): LogOptions {
  return {
    sink: () => {
      throw fault;
    },
  };
}
