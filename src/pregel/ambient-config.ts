import { AsyncContext } from "#async-context";
import { type TaskContext, taskContext } from "./task-context.ts";

/** Where LangChain keeps the config that its runnables take when they are called without one, and under which key. */
const PLACE = Symbol.for("ls:tracing_async_local_storage");
const CONFIG = Symbol.for("lc:child_config");

interface Kept {
  readonly task: TaskContext | undefined;
  readonly store: unknown;
}

/** Gives LangChain the config of the task that calls: so chat models stream that a node calls without its config. */
class AmbientConfig {
  /** What LangChain itself has set meanwhile, for what its runnables call. */
  readonly #inner = new AsyncContext<Kept>();

  getStore(): unknown {
    const task = taskContext.get();
    const inner = this.#inner.get();
    if (inner !== undefined && inner.task === task) return inner.store;
    return task && { extra: { [CONFIG]: task.config } };
  }

  run<Result>(store: unknown, call: () => Result): Result {
    return this.#inner.run({ task: taskContext.get(), store }, call);
  }

  /** Workers cannot. */
  enterWith(): void {}
}

const shared: { [PLACE]?: unknown } & object = globalThis;

/** Whoever keeps it already goes on doing so. */
export function keepAmbientConfig(): void {
  shared[PLACE] ??= new AmbientConfig();
}
