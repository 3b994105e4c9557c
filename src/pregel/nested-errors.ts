import { TidemarkError } from "../errors.ts";
import { GraphBubbleUp, isGraphBubbleUp } from "../interrupt-error.ts";

/** A run that has ended is still at work somewhere, in a graph that one of its tasks has called. Nothing is stored. */
export class RunEndedError extends TidemarkError {
  constructor() {
    super("run_ended", "The run that this graph runs in has ended.");
    this.name = "RunEndedError";
  }
}

/** Two graphs would keep their history in one namespace at the same time. */
export class MultipleSubgraphsError extends TidemarkError {
  override readonly lc_error_code = "MULTIPLE_SUBGRAPHS";

  constructor(namespace: string) {
    super(
      "multiple_subgraphs",
      `Two tasks run the graph of namespace "${namespace}" at the same time, which keeps one history. Run them one after the other, or compile it without \`checkpointer: true\`.`,
      { details: { checkpoint_ns: namespace } },
    );
    this.name = "MultipleSubgraphsError";
  }
}

/** What a node throws that returned a Command for the graph around its own. */
export class ParentCommand extends GraphBubbleUp {
  /** A `Command` without its `graph`. */
  readonly command: unknown;
  /** The task that is to take it: set when it has left the graph of the node. */
  readonly reached: unknown;

  constructor(command: unknown, reached?: unknown) {
    super("parent_command", "The node returned a Command for the parent graph.");
    this.name = "ParentCommand";
    this.command = command;
    this.reached = reached;
  }
}

export function isParentCommand(error: unknown): error is ParentCommand {
  return isGraphBubbleUp(error) && error.name === "ParentCommand";
}
