import { type ErrorOptions, messageOf, TidemarkError } from "./errors.ts";

/** What is wrong with a graph, or with what its nodes do. */

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
