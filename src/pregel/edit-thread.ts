import { UnknownNamespaceError } from "../errors.ts";
import { exclusively } from "./exclusive.ts";
import { checkpointConfig, type RunContext, type Saver } from "./run-context.ts";
import { mapOf } from "./snapshot.ts";
import { atNamespace, locate } from "./subgraphs.ts";
import type { PregelGraph, RunnableConfig } from "./types.ts";
import { updateState, type UpdateStep } from "./update-state.ts";

interface Edited {
  readonly graph: PregelGraph;
  readonly saver: Saver;
  /** Of a run of the graph with this config. */
  readonly contextOf: (config: RunnableConfig) => RunContext;
}

/**
 * Edits the state of a graph, or of one in its tasks (`checkpoint_ns`), one checkpoint after the other; returns the config of
 * the last.
 */
export async function editThread(
  { graph: root, saver, contextOf }: Edited,
  config: RunnableConfig,
  steps: readonly UpdateStep[],
): Promise<RunnableConfig> {
  const { graph, isNested, address } = locate(root, config.configurable?.checkpoint_ns ?? "");
  if (graph === undefined) throw new UnknownNamespaceError(config.configurable?.checkpoint_ns ?? "");
  const at = atNamespace(config, address);
  // An edit is stored at once.
  const context: RunContext = { ...contextOf(at), graph, saver, durability: "sync" };
  const thread = isNested ? { ...config.configurable, checkpoint_ns: "" } : config.configurable;
  return exclusively(saver, thread, async () => {
    let run = context;
    for (const step of steps) {
      const id = await updateState(run, step);
      run = { ...context, config: { ...context.config, ...checkpointConfig(at, id) } };
    }
    const edited = checkpointConfig(run.config, run.config.configurable?.checkpoint_id);
    const tuple = isNested ? await saver.getTuple(edited) : undefined;
    return tuple === undefined ? edited : { configurable: { ...tuple.config.configurable, ...mapOf(tuple) } };
  });
}
