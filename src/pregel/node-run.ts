import type { MaybePromise, PendingWrite } from "../checkpoint/types.ts";
import { InvalidArgumentError } from "../errors.ts";
import { isGraphInterrupt } from "../interrupt-error.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import type { Attempt } from "./attempt.ts";
import { asFrozenInputError } from "./frozen-state.ts";
import { isLimitReached } from "./limits.ts";
import type { LoopState } from "./loop-state.ts";
import { isParentCommand, type ParentCommand } from "./nested-errors.ts";
import { nodeConfig, writeScope } from "./node-config.ts";
import { openQuestions } from "./pending-writes.ts";
import { inputOf, type PlannedTask } from "./plan.ts";
import { isGraphDrained } from "./policy-errors.ts";
import { distinct, type Question } from "./question.ts";
import { isPromiseLike } from "./runnable.ts";
import { emitMessage, emitMessages, noteMessages } from "./stream-messages.ts";
import { taskContext, type TaskContext } from "./task-context.ts";
import { TaskScope } from "./task-scope.ts";
import type { EngineNode, NodeConfig } from "./types.ts";
import { MissingCheckpointerError } from "./value-errors.ts";
import { normaliseWrites } from "./writes.ts";

/** How the node came out of an attempt. */
type Ending = { readonly writes: readonly PendingWrite[] } | { readonly error: unknown };

/** One call of a task's node: what the node is given, and what functions that it calls know of it. */
export class NodeRun implements TaskContext {
  readonly scope: TaskScope;
  readonly input: unknown;
  readonly #node: EngineNode;
  #config: NodeConfig | undefined;
  #sent: PendingWrite[] | undefined;

  constructor(loop: LoopState, task: PlannedTask, attempt: AttemptScope) {
    if (task.node === undefined)
      throw new TypeError(`Task "${task.name}" has no node; the plan was not checked.`);
    const scope = new TaskScope(loop, task, attempt);
    this.#node = task.node;
    this.scope = scope;
    this.input = inputOf(loop.state, task);
    noteMessages(loop, this.input);
  }

  /** Made anew for what the node has left running: the platform keeps each run for long after it has ended. */
  get config(): NodeConfig {
    const { scope } = this;
    return (this.#config ??= nodeConfig(
      scope.loop,
      scope.task,
      scope.attempt,
      (value, options) => scope.scratchpad.askQuestion(value, options),
      scope,
    ));
  }

  get send(): (writes: readonly PendingWrite[]) => void {
    return (writes) => {
      const { channels } = this.scope.loop.state;
      (this.#sent ??= []).push(...writes.filter(([channel]) => channels.has(channel)));
    };
  }

  get emitMessage(): (message: object) => void {
    return (message) => emitMessage(this.scope, this.config, message);
  }

  /** Stays synchronous when the node does. */
  attempt(): MaybePromise<Attempt> {
    try {
      const writes = taskContext.run(this, () => this.#call());
      return writes instanceof Promise
        ? writes.then(
            (settled) => this.#end({ writes: settled }),
            (error: unknown) => this.#fail(error),
          )
        : this.#end({ writes });
    } catch (error) {
      return this.#fail(error);
    }
  }

  #call(): MaybePromise<readonly PendingWrite[]> {
    const output = this.#node.run(this.input, this.config);
    return isPromiseLike(output)
      ? Promise.resolve(output).then((settled) => this.#writesOf(settled))
      : this.#writesOf(output);
  }

  /** What the node has sent while it ran, then what its output means. */
  #writesOf(output: unknown): MaybePromise<readonly PendingWrite[]> {
    const writes = this.#node.write(output, writeScope(this.scope.loop, this.config, this.#sent));
    return writes instanceof Promise
      ? writes.then((settled) => this.#withSent(settled))
      : this.#withSent(writes);
  }

  #withSent(own: readonly PendingWrite[]): readonly PendingWrite[] {
    const writes = this.#sent === undefined ? own : [...this.#sent, ...own];
    return normaliseWrites(writes, this.scope.loop.state);
  }

  #end(ending: Ending): MaybePromise<Attempt> {
    if (this.scope.isCalling) return this.scope.settled().then(() => this.#end(ending));
    const attempt = attemptOf(this, ending);
    this.#config = undefined;
    return attempt;
  }

  /** The Command of a graph inside the task counts as what the node returned. */
  #fail(error: unknown): MaybePromise<Attempt> {
    return isParentCommand(error) && error.reached === this.scope
      ? this.#handOver(error.command)
      : this.#end({ error });
  }

  async #handOver(command: unknown): Promise<Attempt> {
    try {
      return await this.#end({ writes: await this.#writesOf(command) });
    } catch (error) {
      return this.#end({ error });
    }
  }
}

function attemptOf(
  { scope, config, input }: Pick<NodeRun, "scope" | "config" | "input">,
  ending: Ending,
): Attempt {
  const { loop, task, answered } = scope;
  scope.requireStorage();
  if ("writes" in ending) {
    emitMessages(loop, config, ending.writes);
    return { status: "done", writes: ending.writes, answered };
  }
  const { error } = ending;
  if (isParentCommand(error)) return leavingAttempt(loop, task, error, answered);
  if (isGraphDrained(error) || isLimitReached(error)) return { status: "drained", error, answered };
  const { scratchpad } = scope;
  if (!isGraphInterrupt(error)) {
    const stillOpen = openAfterFailure(loop, task, scratchpad.open);
    const named = asFrozenInputError(error, task.name, input) ?? error;
    return { status: "failed", error: named, answered, stillOpen };
  }
  if (loop.run.saver === undefined)
    return { status: "failed", error: new MissingCheckpointerError("interrupt()"), answered };
  const known = new Set(scratchpad.open.map(({ id }) => id));
  const thrown = error.interrupts.filter(({ id }) => !known.has(id));
  return { status: "interrupted", questions: distinct([...scratchpad.open, ...thrown]), answered };
}

function leavingAttempt(
  loop: LoopState,
  task: PlannedTask,
  error: ParentCommand,
  answered: readonly unknown[],
): Attempt {
  if (loop.run.nesting !== undefined) return { status: "left", error, answered };
  const refusal = new InvalidArgumentError(
    "invalid_command",
    `Node "${task.name}" returned a Command for a parent graph: there is none.`,
  );
  return { status: "failed", error: refusal, answered };
}

/** A refused answer leaves its question open, and the others that the task had asked. */
function openAfterFailure(
  loop: LoopState,
  task: PlannedTask,
  open: readonly Question[],
): readonly Question[] {
  const refused = open.filter((question) => question.refused !== undefined);
  if (refused.length === 0) return [];
  const isRefused = (id: string): boolean => refused.some((question) => question.id === id);
  const before = openQuestions(loop.pending, task.id).filter(({ id }) => !isRefused(id));
  return distinct([...before, ...open]);
}
