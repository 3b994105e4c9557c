import { UntrackedValueChannel } from "../channels/untracked-value.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import {
  describeError,
  isGraphInterrupt,
  MissingCheckpointerError,
  UnserializableError,
  ValueTooLargeError,
  type Interrupt,
} from "../errors.ts";
import type { AppliedTask } from "./apply.ts";
import { onlyAttempt, type AttemptScope } from "./attempt-scope.ts";
import { ERROR, ERROR_SOURCE_NODE, INTERRUPT, RESUME } from "./constants.ts";
import { handlerTask, isLeftToHandler } from "./error-handler.ts";
import { asFrozenInputError } from "./frozen-state.ts";
import type { LoopState } from "./loop-state.ts";
import { cachedTask, type CachedTask } from "./node-cache.ts";
import { openInterrupts } from "./pending-writes.ts";
import type { PlannedTask } from "./plan.ts";
import { isGraphDrained, type GraphDrained } from "./policy-errors.ts";
import { attemptWithPolicies, hasPolicies } from "./policies.ts";
import { Scratchpad } from "./scratchpad.ts";
import { emitInterrupts, emitUpdate } from "./stream.ts";
import { taskContext } from "./task-context.ts";
import { nodeConfig, writeScope } from "./node-config.ts";
import type { NodeConfig, PregelNode } from "./types.ts";
import { normaliseWrites } from "./writes.ts";

export type TaskResult =
  /** `handler`: the error handler that took the place of the task, and what it wrote. */
  | { readonly status: "done"; readonly writes: readonly PendingWrite[]; readonly handler?: AppliedTask }
  | { readonly status: "interrupted"; readonly interrupts: readonly Interrupt[] }
  /** A run inside the node was asked to stop: the node runs again when this one goes on. */
  | { readonly status: "drained"; readonly error: GraphDrained }
  /** `handler`: the error handler whose error it is. */
  | { readonly status: "failed"; readonly error: unknown; readonly handler?: PlannedTask };

/** What one attempt of a task came to, before it is stored. */
export type Attempt = TaskResult & { readonly answered: readonly unknown[]; readonly isCached?: boolean };

/**
 * Runs one task of a superstep, unless its result is stored already or it still waits for an answer, and stores what it
 * came to at once: a finished task is never run again. Rejects only when storing is not possible at all.
 */
export async function executeTask(loop: LoopState, task: PlannedTask): Promise<TaskResult> {
  const known = loop.pending.isEmpty ? undefined : knownResult(loop, task);
  if (known !== undefined) return known;
  const attempt = task.node?.cachePolicy === undefined ? attemptTask(loop, task) : attemptCached(loop, task);
  const ended = attempt instanceof Promise ? await attempt : attempt;
  // Nobody waits for it any more, and another run may have taken over.
  if (loop.hasEnded || ended.status === "drained") return ended;
  const result = await storeAttempt(loop, task, ended);
  if (result.status === "done") emitUpdate(loop, task, result.writes, { cached: ended.isCached ?? false });
  if (result.status === "interrupted") emitInterrupts(loop, result.interrupts);
  return result.status === "failed" ? handleFailure(loop, task, result) : result;
}

/** What is stored of the task already: its result, or that it still waits for an answer. */
function knownResult(loop: LoopState, task: PlannedTask): TaskResult | undefined {
  const stored = loop.pending.outputOf(task.id);
  if (stored !== undefined) {
    emitUpdate(loop, task, stored, { cached: true });
    return { status: "done", writes: stored };
  }
  if (isLeftToHandler(loop.run.graph, task, loop.pending)) return { status: "done", writes: [] };
  const open = openInterrupts(loop.pending, task.id);
  if (open.length > 0 && open.length === loop.pending.interruptsOf(task.id).length) {
    emitInterrupts(loop, open);
    return { status: "interrupted", interrupts: open };
  }
  return undefined;
}

function attemptTask(loop: LoopState, task: PlannedTask): Attempt | Promise<Attempt> {
  return hasPolicies(task)
    ? attemptWithPolicies(loop, task, (scope) => runAttempt(loop, task, scope))
    : runAttempt(loop, task, onlyAttempt(loop));
}

/** Takes what the node has written for an equal input before, or else calls it and keeps what it writes. */
async function attemptCached(loop: LoopState, task: PlannedTask): Promise<Attempt> {
  let cached: CachedTask | undefined;
  try {
    cached = await cachedTask(loop, task, inputOf(loop, task));
  } catch (error) {
    return { status: "failed", error, answered: [] };
  }
  const writes = await cached?.read();
  if (writes !== undefined) return { status: "done", writes, answered: [], isCached: true };
  const ended = await attemptTask(loop, task);
  // What came of an answer is for this question only.
  if (ended.status === "done" && ended.answered.length === 0) await cached?.keep(ended.writes);
  return ended;
}

/** Runs the error handler of a failed task's node, if there is one, in the place of the task. */
async function handleFailure(
  loop: LoopState,
  task: PlannedTask,
  failure: TaskResult & { readonly status: "failed" },
): Promise<TaskResult> {
  const { position } = loop;
  const handler = position && handlerTask(loop.run.graph, task, failure.error, position);
  // A run that was cancelled is not to be handled: the node runs again when the thread goes on.
  if (handler === undefined || loop.hasEnded || loop.signal.aborted) return failure;
  const result = await executeTask(loop, handler);
  switch (result.status) {
    case "done":
      return { status: "done", writes: [], handler: { ...handler, writes: result.writes } };
    case "interrupted":
    case "drained":
      return result;
    case "failed":
      return { ...result, handler };
  }
}

/** Calls the node; stays synchronous when the node does. */
function runAttempt(loop: LoopState, task: PlannedTask, scope: AttemptScope): Attempt | Promise<Attempt> {
  const node = task.node;
  if (node === undefined) throw new TypeError(`Task "${task.name}" has no node; the plan was not checked.`);
  const scratchpad = new Scratchpad({
    taskId: task.id,
    answered: loop.pending.answeredOf(task.id),
    pending: loop.pending.interruptsOf(task.id),
    answers: loop.pending.answers(),
  });
  const input = inputOf(loop, task);
  const failed = (error: unknown): Attempt => failedAttempt(loop, task.name, input, error, scratchpad);
  try {
    const config = nodeConfig(loop, task, scope, (value) => scratchpad.ask(value));
    const sent: PendingWrite[] = [];
    const send = (writes: readonly PendingWrite[]): void => {
      sent.push(...writes.filter(([channel]) => loop.state.channels.has(channel)));
    };
    const outcome = taskContext.run({ config, input, send }, () => {
      const output = node.run(input, config);
      return isPromiseLike(output)
        ? Promise.resolve(output).then((value) => writesOf(loop, node, config, value, sent))
        : writesOf(loop, node, config, output, sent);
    });
    const done = (writes: readonly PendingWrite[]): Attempt => ({
      status: "done",
      writes,
      answered: scratchpad.used(),
    });
    return outcome instanceof Promise ? outcome.then(done).catch(failed) : done(outcome);
  } catch (error) {
    return failed(error);
  }
}

function inputOf(loop: LoopState, task: PlannedTask): unknown {
  return "sendArgs" in task ? task.sendArgs : loop.state.readAll(task.node?.channels ?? []);
}

/** What the node has sent while it ran, then what its output means. */
function writesOf(
  loop: LoopState,
  node: PregelNode,
  config: NodeConfig,
  output: unknown,
  sent: readonly PendingWrite[],
): readonly PendingWrite[] | Promise<readonly PendingWrite[]> {
  const writes = node.write(output, writeScope(loop, config, sent));
  const all = (own: readonly PendingWrite[]): readonly PendingWrite[] =>
    normaliseWrites(sent.length === 0 ? own : [...sent, ...own]);
  return writes instanceof Promise ? writes.then(all) : all(writes);
}

function failedAttempt(
  loop: LoopState,
  node: string,
  input: unknown,
  error: unknown,
  scratchpad: Scratchpad,
): Attempt {
  const answered = scratchpad.used();
  if (isGraphDrained(error)) return { status: "drained", error, answered };
  if (!isGraphInterrupt(error))
    return { status: "failed", error: asFrozenInputError(error, node, input) ?? error, answered };
  if (loop.run.saver === undefined)
    return { status: "failed", error: new MissingCheckpointerError("interrupt()"), answered };
  return { status: "interrupted", interrupts: error.interrupts, answered };
}

async function storeAttempt(loop: LoopState, task: PlannedTask, attempt: Attempt): Promise<TaskResult> {
  try {
    await loop.store(task.id, rowsOf(loop, task, attempt), task.pathKey);
    return attempt;
  } catch (error) {
    if (!(error instanceof UnserializableError || error instanceof ValueTooLargeError)) throw error;
    const failed: Attempt = { status: "failed", error, answered: [] };
    await loop.store(task.id, rowsOf(loop, task, failed), task.pathKey);
    return failed;
  }
}

/** The attempt as stored. What an earlier attempt left at a fixed position is replaced or cleared. */
function rowsOf(loop: LoopState, task: PlannedTask, attempt: Attempt): readonly PendingWrite[] {
  const rows: PendingWrite[] = attempt.answered.length > 0 ? [[RESUME, attempt.answered]] : [];
  switch (attempt.status) {
    case "done": {
      const tracked = attempt.writes.filter(
        ([channel]) => !(loop.state.channels.get(channel) instanceof UntrackedValueChannel),
      );
      return [...rows, ...normaliseWrites(tracked)];
    }
    case "interrupted":
      if (loop.pending.errorOf(task.id) !== undefined) rows.push([ERROR, null]);
      return [...rows, [INTERRUPT, attempt.interrupts]];
    case "drained":
      return rows;
    case "failed":
      if (loop.pending.interruptsOf(task.id).length > 0) rows.push([INTERRUPT, []]);
      rows.push([ERROR, describeError(attempt.error)]);
      return task.node?.errorHandlerNode === undefined ? rows : [...rows, [ERROR_SOURCE_NODE, task.name]];
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
