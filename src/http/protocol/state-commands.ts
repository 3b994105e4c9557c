import type { Bytes, Reply, StatePlace, ThreadApi } from "../../thread/protocol.ts";
import { check } from "../requests/body.ts";
import { call, callWhole, type RequestedThread } from "../thread-call.ts";
import { agentTree, type GraphTask } from "./agent-tree.ts";
import { callFailed, type CommandResult } from "./command-result.ts";
import { GetTreeParams, ListCheckpointsParams, StateGetParams } from "./schemas.ts";

/** Commands that read a thread. */

/** The parts of a state that are read here, as the thread says them. */
interface State {
  readonly values: Readonly<Record<string, unknown>>;
  readonly next: readonly string[];
  readonly tasks: readonly GraphTask[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly created_at: string | null;
  readonly checkpoint: Place | null;
  readonly parent_checkpoint: Place | null;
}

interface Place {
  readonly checkpoint_id: string | null;
  readonly checkpoint_ns: string;
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

/** Of a run, the newest unless it is named: its graphs, also those that have ended, and how they stand now. */
export async function getTree(thread: RequestedThread, params: unknown): Promise<CommandResult> {
  const { run_id: runId } = check(GetTreeParams, params, "params");
  const { address } = thread;
  const graphs = await call(thread, (api) => api.listGraphs({ ...address, ...(runId != null && { runId }) }));
  if (!graphs.ok) throw callFailed(graphs.error);
  const record = await readJson<ThreadSummary>(thread, (api) => api.getThread(address));
  const read = { ...address, subgraphs: true };
  const { tasks = [] } = await readJson<Partial<State>>(thread, (api) => api.getState(read));
  const root = { status: STATUS[record.status] ?? "completed", graph_name: record.metadata.graph_id ?? "" };
  return { result: { tree: agentTree(root, graphs.value, tasks) } };
}

interface ThreadSummary {
  readonly status: string;
  readonly metadata: { readonly graph_id?: string };
}

const STATUS: Readonly<Record<string, string>> = {
  busy: "running",
  idle: "completed",
  interrupted: "interrupted",
  error: "failed",
};

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
