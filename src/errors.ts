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

/** The run did not end within `recursionLimit` supersteps. */
export class GraphRecursionError extends TidemarkError {
  override readonly lc_error_code = "GRAPH_RECURSION_LIMIT";

  constructor(limit: number) {
    super(
      "graph_recursion_limit",
      `The run did not end within its recursion limit of ${limit}. Raise the limit if the graph needs more supersteps, or give its loop a way out.`,
      { details: { limit } },
    );
    this.name = "GraphRecursionError";
  }
}

/** A channel refused the writes of a superstep. */
export class InvalidUpdateError extends TidemarkError {
  declare readonly lc_error_code?: string;

  constructor(message: string, options: ErrorOptions & { lcErrorCode?: string } = {}) {
    super("invalid_update", message, options);
    this.name = "InvalidUpdateError";
    if (options.lcErrorCode !== undefined) this.lc_error_code = options.lcErrorCode;
  }
}

/** A reducer threw: the superstep was not applied. */
export class ReducerError extends TidemarkError {
  constructor(channel: string, cause: unknown) {
    super(
      "reducer_failed",
      `The reducer of channel "${channel}" threw: ${messageOf(cause)}. The superstep was not applied.`,
      {
        details: { channel },
        cause,
      },
    );
    this.name = "ReducerError";
  }
}

/** The default of a channel threw, or its own class could not read what is saved of it: the thread was not changed. */
export class ChannelLoadError extends TidemarkError {
  constructor(channel: string, cause: unknown) {
    super(
      "channel_load_failed",
      `Channel "${channel}" cannot be loaded: its default threw, or what is saved of it cannot be read: ${messageOf(cause)}.`,
      { details: { channel }, cause },
    );
    this.name = "ChannelLoadError";
  }
}

/** A node or a reducer tried to change saved state in place. */
export class FrozenStateError extends TidemarkError {
  constructor(where: string, channels: readonly string[], cause: unknown) {
    const named = channels.map((channel) => `"${channel}"`).join(", ");
    super(
      "state_mutated",
      `${where} tried to change state in place (${channels.length === 1 ? "channel" : "one of the channels"} ${named}): ` +
        `${messageOf(cause)}. State is read-only; return a new value instead.`,
      { details: { channels }, cause },
    );
    this.name = "FrozenStateError";
  }
}

/** A channel without a value was read. */
export class EmptyChannelError extends TidemarkError {
  constructor(message = "The channel has no value.") {
    super("empty_channel", message);
    this.name = "EmptyChannelError";
  }
}

/** A run was started without anything to do. */
export class EmptyInputError extends RefusedError {
  constructor(message: string) {
    super("empty_input", message);
    this.name = "EmptyInputError";
  }
}

/** The graph itself is wrong: found when it is built or compiled. */
export class GraphValidationError extends TidemarkError {
  declare readonly lc_error_code?: string;

  constructor(message: string, options: ErrorOptions & { lcErrorCode?: string } = {}) {
    super("invalid_graph", message, options);
    this.name = "GraphValidationError";
    if (options.lcErrorCode !== undefined) this.lc_error_code = options.lcErrorCode;
  }
}

/** No path leads to this node. */
export class UnreachableNodeError extends GraphValidationError {
  constructor(node: string) {
    super(
      `No path leads to node "${node}". Add an edge to it, or name it in a path map or in the ends of a node.`,
      { details: { node }, lcErrorCode: "UNREACHABLE_NODE" },
    );
    this.name = "UnreachableNodeError";
  }
}

/** What a `StateGraph` was given to define its state is no definition. */
export class StateGraphInputError extends GraphValidationError {
  constructor(
    message = "Invalid StateGraph input: the state has to be an Annotation.Root, a StateSchema, an object schema (zod, valibot) or an object of channels.",
  ) {
    super(message);
    this.name = "StateGraphInputError";
  }
}

/** A goto, a route or a Send names a node that the graph does not have. */
export class UnknownNodeError extends TidemarkError {
  constructor(node: string, source: string) {
    super("unknown_node", `${source} names the node "${node}", which this graph does not have.`, {
      details: { node },
    });
    this.name = "UnknownNodeError";
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
  constructor(problem: string, options: ErrorOptions = {}) {
    super("undecodable", `Cannot read stored data: ${problem}.`, options);
    this.name = "UndecodableError";
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
