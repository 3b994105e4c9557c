import type { Command } from "../pregel/command.ts";
import { Pregel, type CompiledParams } from "../pregel/low-level/pregel.ts";
import type { CompileOptions } from "./compile-options.ts";
import type { ExtractContextType, ExtractStateType, ExtractUpdateType } from "./schema/state-types.ts";

type InputOf<Input, Update> = Input extends undefined ? Update : ExtractUpdateType<Input>;
type OutputOf<Output, State> = Output extends undefined ? State : ExtractStateType<Output>;
type ContextOf<Context> = Context extends undefined ? unknown : ExtractContextType<Context>;

/** A graph that can be run, as `StateGraph.compile` returns it. */
export class CompiledStateGraph<
  State,
  Update,
  _Nodes extends string = string,
  Input = undefined,
  Output = undefined,
  Context = undefined,
> extends Pregel<
  InputOf<Input, Update> | Command<unknown, Partial<Update>> | null,
  State,
  OutputOf<Output, State>,
  ContextOf<Context>
> {
  readonly lc_graph_name = "CompiledStateGraph";
  readonly description: string | undefined;
  /** All that `compile` was told, also what the engine has no use for. */
  readonly options: CompileOptions;

  constructor(options: CompiledParams & { readonly compiled?: CompileOptions }) {
    super(options);
    this.options = options.compiled ?? {};
    this.description = this.options.description;
  }
}
