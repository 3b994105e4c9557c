import type { Bytes, Reply, StatePlace, ThreadApi } from "../../thread/protocol.ts";
import { check } from "../body.ts";
import { callWhole, type RequestedThread } from "../thread-call.ts";
import { callFailed, type CommandResult } from "./command-result.ts";
import { GetTreeParams, ListCheckpointsParams, StateGetParams } from "./schemas.ts";

/** Commands that read a thread. */

/** The parts of a state that are read here, as the thread says them. */
interface State {
  readonly values: Readonly<Record<string, unknown>>;
  readonly next: readonly string[];
  readonly tasks: readonly Task[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly created_at: string | null;
  readonly checkpoint: Place | null;
  readonly parent_checkpoint: Place | null;
}

interface Place {
  readonly checkpoint_id: string | null;
  readonly checkpoint_ns: string;
}

interface Task {
  readonly id: string;
  readonly name: string;
  readonly error: unknown;
  readonly interrupts: readonly unknown[];
  readonly checkpoint: Place | null;
  readonly state: State | null;
}

interface TreeNode {
  readonly namespace: readonly string[];
  readonly status: string;
  readonly graph_name: string;
  readonly children?: readonly TreeNode[];
}

export async function getState(thread: RequestedThread, params: unknown): Promise<CommandResult> {
  const { namespace, keys } = check(StateGetParams, params, "params");
  const select = [...(keys == null ? ["values"] : keys.map((key) => `values.${key}`)), "checkpoint"];
  const read = { ...thread.address, ...placeOf(namespace), select, subgraphs: false };
  const { values = {}, checkpoint } = await readJson<Partial<State>>(thread, (api) => api.getState(read));
  return { result: { values, ...(checkpoint?.checkpoint_id && { checkpoint: referenceTo(checkpoint) }) } };
}

export async function listCheckpoints(thread: RequestedThread, params: unknown): Promise<CommandResult> {
  const { namespace, limit, before } = check(ListCheckpointsParams, params, "params");
  const select = ["checkpoint", "parent_checkpoint", "metadata", "created_at"];
  const read = { ...thread.address, ...placeOf(namespace), limit, select, ...(before != null && { before }) };
  const states = await readJson<readonly State[]>(thread, (api) => api.getHistory(read));
  return { result: { checkpoints: states.map(summary) } };
}

/** The graphs that wait or have failed: what goes on in a run is told by its events. */
export async function getTree(thread: RequestedThread, params: unknown): Promise<CommandResult> {
  const { run_id: runId } = check(GetTreeParams, params, "params");
  if (runId != null) await requireRun(thread, runId);
  const record = await readJson<{ status: string; metadata: { graph_id?: string } }>(thread, (api) =>
    api.getThread(thread.address),
  );
  const read = { ...thread.address, subgraphs: true };
  const { tasks = [] } = await readJson<Partial<State>>(thread, (api) => api.getState(read));
  const status = STATUS[record.status] ?? "completed";
  return { result: { tree: node([], status, record.metadata.graph_id ?? "", tasks) } };
}

const STATUS: Readonly<Record<string, string>> = {
  busy: "running",
  idle: "completed",
  interrupted: "interrupted",
  error: "failed",
};

function node(namespace: readonly string[], status: string, name: string, tasks: readonly Task[]): TreeNode {
  const children = tasks.flatMap((task) => {
    const inner = task.state?.checkpoint ?? task.checkpoint;
    if (inner === null) return [];
    return [node(inner.checkpoint_ns.split("|"), statusOf(task), task.name, task.state?.tasks ?? [])];
  });
  return { namespace, status, graph_name: name, ...(children.length > 0 && { children }) };
}

function statusOf({ error, interrupts }: Task): string {
  if (error !== null) return "failed";
  return interrupts.length > 0 ? "interrupted" : "running";
}

async function requireRun(thread: RequestedThread, runId: string): Promise<void> {
  await readJson(thread, async (api) => {
    const reply = await api.getRun({ ...thread.address, runId });
    return reply.ok ? { ok: true, value: reply.value.run } : reply;
  });
}

function summary({ checkpoint, parent_checkpoint: parent, metadata, created_at: timestamp }: State): unknown {
  const { step, source } = metadata ?? {};
  return {
    id: checkpoint?.checkpoint_id,
    ...(parent?.checkpoint_id && { parent_id: parent.checkpoint_id }),
    timestamp,
    step,
    source,
    metadata: metadata ?? {},
  };
}

function referenceTo({ checkpoint_id: id, checkpoint_ns: ns }: Place): unknown {
  return { id, ns };
}

function placeOf(namespace: readonly string[] | null | undefined): StatePlace {
  return namespace == null || namespace.length === 0 ? {} : { namespace: namespace.join("|") };
}

/** Of what the thread has written as JSON. */
async function readJson<Read>(
  thread: RequestedThread,
  method: (api: ThreadApi) => Promise<Reply<Bytes>>,
): Promise<Read> {
  const reply = await callWhole(thread, method);
  if (!reply.ok) throw callFailed(reply.error);
  return JSON.parse(new TextDecoder().decode(reply.value)) as Read;
}
