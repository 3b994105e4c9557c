import type { Command } from "../pregel/command.ts";
import { Pregel } from "../pregel/pregel.ts";

/** A graph that can be run, as `StateGraph.compile` returns it. */
export class CompiledStateGraph<State, Update> extends Pregel<Update | Command | null, State> {
  readonly lc_graph_name = "CompiledStateGraph";
}
