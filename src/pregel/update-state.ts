import type { CheckpointTuple, PendingWrite } from "../checkpoint/types.ts";
import {
  CheckpointNotFoundError,
  InvalidUpdateError,
  RefusedError,
  TidemarkError,
  messageOf,
} from "../errors.ts";
import { adopt } from "../adopt.ts";
import { applyWrites, type AppliedTask } from "./apply.ts";
import { onlyAttempt } from "./attempt-scope.ts";
import { END, INPUT, UPDATE_TRIGGER } from "./constants.ts";
import { finishedTasks } from "./error-handler.ts";
import { isLaterVersion, type GraphState } from "./graph-state.ts";
import { hydrated } from "./hydrate.ts";
import { LoopState } from "./loop-state.ts";
import { nodeConfig, writeScope } from "./node-config.ts";
import { checkpointConfig, nextVersionOf, type RunContext } from "./run-context.ts";
import { pullPath, taskPathKey } from "./task-path.ts";
import { withFinishedTasks } from "./snapshot.ts";
import { uuid5 } from "../checkpoint/id.ts";
import type { PregelNode } from "./types.ts";
import { normaliseWrites } from "./writes.ts";

export interface StateUpdate {
  /** What a node would have returned; null: nothing. */
  readonly values: unknown;
  /** The node whose output it is to be: its edges decide what runs next. `END`: nothing is left to run. */
  readonly asNode?: string;
}

/**
 * Edits the state as if a node had returned the values: a new checkpoint under the named one (a branch), or under the
 * newest. At the newest, named or not, what finished tasks have written counts; when that is what cannot be applied, it is left out and
 * their nodes run again. Returns the id of the new checkpoint.
 */
export async function updateState(run: RunContext, update: StateUpdate): Promise<string> {
  const named = run.config.configurable?.checkpoint_id;
  const head = await run.saver?.getTuple(checkpointConfig(run.config));
  const found =
    named === undefined || named === head?.checkpoint.id
      ? head
      : await run.saver?.getTuple(checkpointConfig(run.config, named));
  const tuple = await hydrated(run.graph, run.saver, found);
  if (tuple === undefined && named !== undefined) throw new CheckpointNotFoundError(named);
  if (head !== undefined) run.environment.checkpointIds.observe(head.checkpoint.id);

  const loop = new LoopState(run, tuple);
  // The first checkpoint of a thread that is edited before it ran takes the place of the superstep of `__start__`.
  if (tuple === undefined) loop.step = -1;
  if (tuple !== undefined && tuple === head) applyFinished(loop, tuple);
  const asNode = update.asNode ?? (update.values === null ? undefined : defaultNode(loop.state));
  if (asNode === INPUT) await applyInput(loop, update.values);
  else if (asNode === END) clearTasks(loop);
  else if (asNode !== undefined) await applyAsNode(loop, asNode, update.values);
  if (asNode !== INPUT) loop.state.updated = undefined;
  return loop.commit(asNode === INPUT ? "input" : "update");
}

/** Takes the finished tasks into the state, unless it is they who cannot be applied. */
function applyFinished(loop: LoopState, tuple: CheckpointTuple): void {
  const outside = loop.pending.outside();
  if (outside.length > 0) loop.applyOutside(outside);
  if (withFinishedTasks(loop.run.graph, tuple).state === undefined) return;
  const finished = finishedTasks(loop.run.graph, loop.plan(), loop.pending);
  if (finished.length > 0) applyWrites(loop.state, finished, nextVersionOf(loop.run.saver));
}

async function applyInput(loop: LoopState, values: unknown): Promise<void> {
  const { graph } = loop.run;
  graph.checkInput(values);
  const input = graph.schemas === undefined ? values : await graph.schemas.input(values);
  loop.applyOutside([[graph.inputChannel, adopt(input)]]);
}

/** All planned tasks count as done without having written anything. */
function clearTasks(loop: LoopState): void {
  const tasks = loop.plan().map((task): AppliedTask => ({ ...task, writes: [] }));
  if (tasks.length > 0) applyWrites(loop.state, tasks, nextVersionOf(loop.run.saver));
}

async function applyAsNode(loop: LoopState, name: string, values: unknown): Promise<void> {
  const node = loop.run.graph.nodes.get(name);
  if (node === undefined) {
    throw new RefusedError(
      "unknown_node",
      `The update is to be as node "${name}", which this graph does not have.`,
      {
        details: { node: name },
      },
    );
  }
  const writes = await writesAs(loop, node, values);
  const task: AppliedTask = {
    name,
    pathKey: taskPathKey([UPDATE_TRIGGER]),
    triggers: [UPDATE_TRIGGER],
    writes,
  };
  applyWrites(loop.state, [task], nextVersionOf(loop.run.saver));
}

async function writesAs(
  loop: LoopState,
  node: PregelNode,
  values: unknown,
): Promise<readonly PendingWrite[]> {
  const task = {
    id: uuid5(UPDATE_TRIGGER, loop.checkpointId ?? "00000000-0000-0000-0000-000000000000"),
    name: node.name,
    path: pullPath(node.name),
    triggers: [UPDATE_TRIGGER],
  };
  const config = nodeConfig(loop, task, onlyAttempt(loop), () => {
    throw new TidemarkError("outside_of_task", "interrupt() was called outside of a running node.");
  });
  try {
    return normaliseWrites(await node.write(values, writeScope(loop, config)));
  } catch (error) {
    if (error instanceof RefusedError || error instanceof InvalidUpdateError) throw error;
    throw new InvalidUpdateError(`The update as node "${node.name}" cannot be applied: ${messageOf(error)}`, {
      details: { node: node.name },
      cause: error,
    });
  }
}

/** The node that ran last, or the input when none has. */
function defaultNode(state: GraphState): string {
  const names = [...state.graph.nodes.keys()];
  const visible = names.filter((name) => !state.graph.nodes.get(name)?.hidden);
  const [only] = visible;
  if (only !== undefined && visible.length === 1) return only;
  const lastSeen = names.flatMap((name) => {
    const versions = Object.values(state.seen[name] ?? {});
    const newest = versions.reduce<(typeof versions)[number] | undefined>(
      (a, b) => (isLaterVersion(b, a) ? b : a),
      undefined,
    );
    return newest === undefined ? [] : [{ name, newest }];
  });
  const start = names.find((name) => state.graph.nodes.get(name)?.hidden);
  if (lastSeen.length === 0 && start !== undefined) return start;
  const newestFirst = lastSeen.toSorted((a, b) =>
    a.newest === b.newest ? 0 : isLaterVersion(a.newest, b.newest) ? -1 : 1,
  );
  const [last, second] = newestFirst;
  if (last === undefined || last.newest === second?.newest) {
    throw new InvalidUpdateError('Ambiguous update, specify "asNode": no single node ran last.');
  }
  return last.name;
}
