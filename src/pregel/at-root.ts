import { InvalidArgumentError } from "../errors.ts";
import type { RunContext } from "./run-context.ts";
import { locate } from "./subgraphs.ts";

/** A config inside a task names checkpoints of the graphs around it too: the run begins at the root's. */
export function atRoot(run: RunContext): RunContext {
  const {
    checkpoint_ns: namespace = "",
    checkpoint_map,
    checkpoint_id,
    ...configurable
  } = run.config.configurable ?? {};
  if (!locate(run.graph, namespace).isNested) return run;
  const rootId = checkpoint_map?.[""];
  const isNamed = checkpoint_id !== undefined && rootId !== undefined;
  return {
    ...run,
    config: {
      ...run.config,
      configurable: {
        ...configurable,
        checkpoint_ns: "",
        ...(isNamed ? { checkpoint_id: rootId } : {}),
      },
    },
    ...(isNamed ? { standsAt: { ...checkpoint_map, [namespace]: checkpoint_id } } : {}),
  };
}

export function noRootHistory(): InvalidArgumentError {
  return new InvalidArgumentError(
    "invalid_checkpointer",
    "`checkpointer: true` is for graphs inside a node of another graph: a graph that is started by itself needs a saver.",
  );
}
