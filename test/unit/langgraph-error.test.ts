import { expect, it } from "vitest";
import {
  CheckpointNotFoundError,
  EmptyInputError,
  ThreadInterruptedError,
  UnknownInterruptError,
  UnserializableError,
  ValueTooLargeError,
} from "../../src/errors.ts";
import {
  ChannelLoadError,
  FrozenStateError,
  GraphRecursionError,
  InvalidUpdateError,
  ReducerError,
  UnknownNodeError,
} from "../../src/graph-errors.ts";
import { langGraphError } from "../../src/langgraph-error.ts";
import { NodeTimeoutError, StepTimeoutError } from "../../src/pregel/policy-errors.ts";
import { runCancelled, runTimedOut } from "../../src/thread/errors.ts";

const cause = new Error("no");

it.for([
  new CheckpointNotFoundError("x"),
  new EmptyInputError("Nothing to do."),
  new ThreadInterruptedError(["x"]),
  new UnknownInterruptError("not_pending", ["x"], []),
  new UnknownInterruptError("ambiguous", [], ["x", "y"]),
  new UnserializableError("a function", []),
  new ValueTooLargeError(2, 1),
  new ChannelLoadError("x", cause),
  new FrozenStateError("Node", ["x"], cause),
  new GraphRecursionError(1),
  new InvalidUpdateError("Two values."),
  new ReducerError("x", cause),
  new UnknownNodeError("x", "A Send"),
  new NodeTimeoutError({ node: "x", kind: "run", elapsed: 2, runTimeout: 1 }),
  new StepTimeoutError(1, 2),
])("an error of a run goes by the name of its class: $name", (error) => {
  const { name, message, code } = error;
  expect(langGraphError(error)).toEqual({ error: name, message, code });
});

it("an error without a class has a name like one, and that of a node the name of what was thrown", () => {
  expect(langGraphError(runCancelled("x", "interrupt")).error).toBe("RunCancelledError");
  expect(langGraphError(runTimedOut("x", 1)).error).toBe("RunTimedOutError");
  const details = { errors: [{ name: "TypeError", message: "not a function" }] };
  expect(langGraphError({ code: "node_failed", message: "Node failed.", details })).toEqual({
    error: "TypeError",
    message: "not a function",
    code: "node_failed",
  });
});
