import { describeError } from "./error-record.ts";
import { plainJson } from "./json.ts";

/** Each is worse than the one before. */
const LEVELS = ["debug", "info", "warn", "error"] as const;

export type LogLevel = (typeof LEVELS)[number];

/** What a record says besides its event. Ids, codes, counts and milliseconds; of what was said to or by a run nothing, unless asked. */
export interface LogFields {
  readonly tenant?: string | undefined;
  readonly thread_id?: string | undefined;
  readonly run_id?: string | undefined;
  readonly checkpoint_id?: string | undefined;
  /** Of an error. */
  readonly code?: string | undefined;
  /** Of HTTP. */
  readonly status?: number | undefined;
  readonly duration_ms?: number | undefined;
  readonly [field: string]: unknown;
}

export interface LogRecord extends LogFields {
  /** ISO 8601. */
  readonly time: string;
  readonly level: LogLevel;
  /** What has happened, as in "run.ended". */
  readonly event: string;
}

export interface LogOptions {
  /** The least that is noted, "warn" by default: what failed, and what was taken up again. "silent" notes nothing. */
  readonly level?: LogLevel | "silent";
  /** Takes the records, and may answer with a promise; by default each is a line of JSON on the console. */
  readonly sink?: (record: LogRecord) => unknown;
  /** Whether records also have what runs have asked, and what the errors of nodes say. */
  readonly payloads?: boolean;
}

/** Takes an error that nobody expected, and says where it was. */
export type Report = (error: unknown, fields?: LogFields) => void;

/** Notes what happens, one record an event. It never throws. */
export class Log {
  readonly #options: LogOptions;
  readonly #least: number;
  readonly #now: () => number;
  readonly #fields: () => LogFields;

  constructor(options: LogOptions, now: () => number, fields: () => LogFields = () => ({})) {
    const { level = "warn" } = options;
    this.#options = options;
    this.#least = level === "silent" ? LEVELS.length : LEVELS.indexOf(level);
    this.#now = now;
    this.#fields = fields;
  }

  /** The same log for a part of the program whose records all have these fields, as they are by then. */
  within(fields: () => LogFields): Log {
    return new Log(this.#options, this.#now, () => ({ ...this.#fields(), ...fields() }));
  }

  takes(level: LogLevel): boolean {
    return LEVELS.indexOf(level) >= this.#least;
  }

  /** `payloads`: what is left out unless it is asked for. */
  note(level: LogLevel, event: string, fields: LogFields = {}, payloads: () => LogFields = () => ({})): void {
    if (!this.takes(level)) return;
    const { sink = toConsole, payloads: isTelling = false } = this.#options;
    try {
      const said = isTelling ? plainFields(payloads()) : {};
      const time = new Date(this.#now()).toISOString();
      const taken = sink({ time, level, event, ...this.#fields(), ...fields, ...said });
      if (taken instanceof Promise) taken.catch(toConsoleError);
    } catch (error) {
      toConsoleError(error);
    }
  }

  /** Notes an error that nobody expected, with its stack. */
  readonly fault: Report = (error, fields) => {
    const { name, message, code, cause } = describeError(error);
    this.note("error", "fault", {
      ...fields,
      code: code === undefined ? name : String(code),
      message,
      ...(cause && { cause }),
      ...(error instanceof Error && { stack: error.stack }),
    });
  };
}

function plainFields(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainJson(value)]));
}

function toConsoleError(error: unknown): void {
  console.error(error);
}

function toConsole(record: LogRecord): void {
  console[record.level](JSON.stringify(record));
}
