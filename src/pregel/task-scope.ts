import type { AttemptScope } from "./attempt-scope.ts";
import type { EnclosingTask } from "./enclosing-task.ts";
import type { LoopState } from "./loop-state.ts";
import { childNamespace, taskNamespace, withoutTaskIds } from "./namespace.ts";
import { OpenOrigins } from "./origins.ts";
import type { PlannedTask } from "./plan.ts";
import type { Question } from "./question.ts";
import { Scratchpad } from "./scratchpad.ts";

const NOTHING: readonly unknown[] = [];

/** One attempt of a task, as that finds it which the task calls: other graphs, `task()`, `interrupt()`. */
export class TaskScope implements EnclosingTask {
  readonly loop: LoopState;
  readonly task: PlannedTask;
  readonly attempt: AttemptScope;
  /** How many the node has shown. */
  messages = 0;
  #scratchpad: Scratchpad | undefined;
  #origins: OpenOrigins | undefined;
  #namespace: string | undefined;
  #graphs = 0;
  #calls = 0;
  #fault: { readonly error: unknown } | undefined;
  #running: Set<Promise<unknown>> | undefined;

  constructor(loop: LoopState, task: PlannedTask, attempt: AttemptScope) {
    this.loop = loop;
    this.task = task;
    this.attempt = attempt;
  }

  /** Most tasks ask nothing. */
  get scratchpad(): Scratchpad {
    const { pending, run } = this.loop;
    return (this.#scratchpad ??= new Scratchpad({
      taskId: this.task.id,
      answered: pending.answeredOf(this.task.id),
      pending: pending.questionsOf(this.task.id),
      answers: pending.answers(),
      environment: run.environment,
    }));
  }

  /** The answers that the attempt has used. */
  get answered(): readonly unknown[] {
    return this.#scratchpad?.used() ?? NOTHING;
  }

  /** What the task can take over from branches before. */
  get origins(): OpenOrigins {
    return (this.#origins ??= new OpenOrigins(
      this.loop.originsOf(this.task.id),
      () => this.scratchpad.returned,
    ));
  }

  /** Whether nobody waits for the attempt any more. */
  get isOver(): boolean {
    return this.loop.hasEnded || this.attempt.isOver;
  }

  get namespace(): string {
    return (this.#namespace ??= taskNamespace(
      this.task.caller ?? this.loop.namespace,
      this.task.name,
      this.task.id,
    ));
  }

  /** Where the graph keeps its checkpoints that the task calls next: calls are matched in the order in which they are made. */
  nextNamespace(keepsHistory: boolean): string {
    const namespace = keepsHistory ? withoutTaskIds(this.namespace) : this.namespace;
    const count = this.#graphs++;
    return count === 0 ? namespace : childNamespace(namespace, String(count));
  }

  /** How many graphs the task has called. */
  get graphs(): number {
    return this.#graphs;
  }

  nextCall(): number {
    return this.#calls++;
  }

  /** The checkpoint of each graph around what the task calls, by namespace. */
  parents(): Readonly<Record<string, string>> {
    const { run, checkpointId, namespace } = this.loop;
    return checkpointId === undefined ? {} : { ...run.nesting?.parents, [namespace]: checkpointId };
  }

  /** Questions of what the task has called, which wait for an answer. */
  relay(questions: readonly Question[]): void {
    this.scratchpad.open.push(...questions);
  }

  /**
   * The attempt is not over before the call is, whether the node waits for it or not: nobody has to. A call that rejects was
   * cut off by its storage: that is no matter of the node, and ends the run around it in the same way.
   */
  follow<T, Result>(call: Promise<T>, next: (value: T) => Result): Promise<Result> {
    const running = (this.#running ??= new Set());
    running.add(call);
    const followed = call.then(
      (value) => {
        running.delete(call);
        return next(value);
      },
      (error: unknown) => {
        running.delete(call);
        this.#fault ??= { error };
        throw error;
      },
    );
    followed.catch(() => undefined);
    return followed;
  }

  /** Throws what has cut off a call. */
  requireStorage(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  get isCalling(): boolean {
    return this.#running !== undefined && this.#running.size > 0;
  }

  async settled(): Promise<void> {
    while (this.#running !== undefined && this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
