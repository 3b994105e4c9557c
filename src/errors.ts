/**
 * Every fault of Tidemark is a {@link TidemarkError}: a stable string `code`, a message that says what was wrong and
 * what to do, `details` that a program can read, and the `cause` where there is one. Names and `lc_error_code` follow
 * LangGraph.js where it has the same fault. HTTP statuses are given in one place, `http/errors.ts`.
 */

export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface ErrorOptions {
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

export class TidemarkError extends Error {
  readonly code: string;
  readonly details: ErrorDetails;
  /** LangGraph's code for the same fault, where it has one. */
  declare readonly lc_error_code?: string;

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** The call was refused before anything was changed: the caller can mend it and call again. */
export class RefusedError extends TidemarkError {
  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(code, message, options);
    this.name = "RefusedError";
  }
}

/** A run was started without anything to do. */
export class EmptyInputError extends RefusedError {
  constructor(message: string) {
    super("empty_input", message);
    this.name = "EmptyInputError";
  }
}

/** A value that the caller passed is not usable; `code` says which. */
export class InvalidArgumentError extends RefusedError {
  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(code, message, options);
    this.name = "InvalidArgumentError";
  }
}

/** No graph of this thread has the namespace. */
export class UnknownNamespaceError extends RefusedError {
  constructor(namespace: string) {
    super("unknown_namespace", `This thread has no graph in the namespace "${namespace}".`, {
      details: { checkpoint_ns: namespace },
    });
    this.name = "UnknownNamespaceError";
  }
}

/** The named checkpoint is not in this thread. */
export class CheckpointNotFoundError extends RefusedError {
  constructor(checkpointId: string) {
    super("checkpoint_not_found", `This thread has no checkpoint "${checkpointId}".`, {
      details: { checkpoint_id: checkpointId },
    });
    this.name = "CheckpointNotFoundError";
  }
}

/** New input came for a thread that waits for an answer. Nothing was changed. */
export class ThreadInterruptedError extends RefusedError {
  constructor(pendingIds: readonly string[]) {
    super(
      "thread_interrupted",
      `The thread waits for an answer to ${pendingIds.join(", ")}. Resume it, or say on_interrupted: "discard" to drop the question.`,
      { details: { pending: pendingIds } },
    );
    this.name = "ThreadInterruptedError";
  }
}

export type UnknownInterruptReason = "not_pending" | "ambiguous" | "empty_map";

/** An answer does not belong to exactly one pending interrupt. Nothing was applied. */
export class UnknownInterruptError extends RefusedError {
  readonly reason: UnknownInterruptReason;
  readonly interruptIds: readonly string[];
  readonly pendingIds: readonly string[];

  constructor(
    reason: UnknownInterruptReason,
    interruptIds: readonly string[],
    pendingIds: readonly string[],
  ) {
    const pending = pendingIds.length === 0 ? "none is pending" : `pending: ${pendingIds.join(", ")}`;
    const message = {
      not_pending:
        interruptIds.length === 0
          ? `There is no interrupt to answer (${pending}). Nothing was applied.`
          : `No interrupt ${interruptIds.join(", ")} is pending (${pending}). Nothing was applied.`,
      ambiguous: `Several interrupts are pending; name the one that is answered (${pending}). Nothing was applied.`,
      empty_map: `The map of answers is empty (${pending}). Nothing was applied.`,
    }[reason];
    super(reason === "ambiguous" ? "interrupt_ambiguous" : "interrupt_not_pending", message, {
      details: { reason, interrupt_ids: interruptIds, pending: pendingIds },
    });
    this.name = "UnknownInterruptError";
    this.reason = reason;
    this.interruptIds = interruptIds;
    this.pendingIds = pendingIds;
  }
}

/** A value cannot be stored. `path` leads from the stored value to the part that is at fault. */
export class UnserializableError extends TidemarkError {
  /** What is wrong with the part, without where it is. */
  readonly problem: string;
  readonly path: readonly (string | number)[];

  constructor(
    problem: string,
    path: readonly (string | number)[],
    options: { channel?: string; cause?: unknown } = {},
  ) {
    const where = options.channel === undefined ? "" : ` of channel "${options.channel}"`;
    super("unserializable", `Cannot store the value${where} at ${formatPath(path)}: ${problem}.`, {
      details: { path, ...(options.channel === undefined ? {} : { channel: options.channel }) },
      cause: options.cause,
    });
    this.name = "UnserializableError";
    this.problem = problem;
    this.path = path;
  }
}

/** Stored bytes cannot be read: an unknown tag, a newer format, or damage. */
export class UndecodableError extends TidemarkError {
  readonly problem: string;

  constructor(problem: string, options: ErrorOptions = {}) {
    super("undecodable", `Cannot read stored data: ${problem}.`, options);
    this.name = "UndecodableError";
    this.problem = problem;
  }
}

/** A value is over a documented limit. Sizes in bytes. */
export class ValueTooLargeError extends TidemarkError {
  /** `what` is too large, when that is not a single value. */
  constructor(size: number, limit: number, channel?: string, what?: string) {
    const where = channel === undefined ? "A value" : `A value of channel "${channel}"`;
    super("value_too_large", `${what ?? where} has ${size} bytes; the limit is ${limit}.`, {
      details: { size, limit, ...(channel === undefined ? {} : { channel }) },
    });
    this.name = "ValueTooLargeError";
  }
}

/** Storage could not do what it must; `code` says which part. */
export class StorageError extends TidemarkError {
  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(code, message, options);
    this.name = "StorageError";
  }
}

/** An error as it goes over the wire. */
export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** The one body of an error, everywhere. `message` and `detail` are for clients that read nothing else. */
export function errorBody({ code, message, details }: WireError): Readonly<Record<string, unknown>> {
  return { error: { code, message, details }, message, detail: message };
}

function formatPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return "its root";
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
