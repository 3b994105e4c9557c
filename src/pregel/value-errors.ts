import { TidemarkError, type ErrorOptions } from "../errors.ts";

/** A graph was used in a way that it is not made for. Another attempt does not help: it is not retried. */
export class GraphValueError extends TidemarkError {
  constructor(message: string, options: ErrorOptions & { readonly code?: string } = {}) {
    super(options.code ?? "graph_value", message, options);
    this.name = "GraphValueError";
  }
}

/** A feature that needs saved state was used on a graph without a checkpointer. */
export class MissingCheckpointerError extends GraphValueError {
  override readonly lc_error_code = "MISSING_CHECKPOINTER";

  constructor(what: string) {
    super(`No checkpointer set: ${what} needs one. Pass it to compile({ checkpointer }).`, {
      code: "missing_checkpointer",
    });
    this.name = "MissingCheckpointerError";
  }
}
