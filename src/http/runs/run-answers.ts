import type { Context } from "hono";
import { stringifyJson } from "../../json.ts";
import { langGraphError } from "../../langgraph-error.ts";
import type { NamedRun, Reply, StartRun, ThreadApi, ToldRun } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { reauthentications } from "../auth/reauthentication.ts";
import type { Disconnection } from "../streams/disconnection.ts";
import { call, refusal, type RequestedThread, whole, type WholeText } from "../thread-call.ts";
import { waitingBody } from "../streams/waiting-body.ts";

/** What is answered about runs. */

export type WholeRun = Omit<ToldRun, "run"> & { readonly run: WholeText };

/** What is told of a run, read to its end: see {@link callWhole}. */
export function callToldRun(
  thread: RequestedThread,
  method: (api: ThreadApi) => Promise<Reply<ToldRun>>,
): Promise<Reply<WholeRun>> {
  return call(thread, async (api): Promise<Reply<WholeRun>> => {
    const reply = await method(api);
    if (!reply.ok) return reply;
    const { run, ...others } = reply.value;
    return { ok: true, value: { ...others, run: await whole(run) } };
  });
}

/** Starts a run for its values, which are there already where it ends at once. */
export function callAcceptedRun(
  thread: RequestedThread,
  start: StartRun,
): Promise<Reply<{ readonly runId: string; readonly values: WholeText | undefined }>> {
  return call(thread, async (api) => {
    const reply = await api.acceptRun(start);
    if (!reply.ok) return reply;
    const { runId, values } = reply.value;
    return { ok: true, value: { runId, values: values && (await whole(values)) } };
  });
}

export function told(
  context: Context,
  thread: RequestedThread,
  reply: Reply<WholeRun>,
  status: 200 | 202 = 200,
): Response {
  if (!reply.ok) return refusal(context, reply);
  locate(context, thread, reply.value.runId);
  return context.body(reply.value.run, status, { "content-type": "application/json" });
}

/** Where the run is to be read, and where its end can be waited for again. */
function locate(context: Context, { address }: RequestedThread, runId: string, suffix = ""): void {
  const path = `/threads/${encodeURIComponent(address.threadId)}/runs/${encodeURIComponent(runId)}`;
  context.header("content-location", path);
  if (suffix !== "") context.header("location", `${path}${suffix}`);
}

const VALUES = { "content-type": "application/json", "cache-control": "no-store" };

/** The values of a run that has ended. */
export function valuesNow(
  context: Context,
  thread: RequestedThread,
  runId: string,
  values: WholeText,
): Response {
  locate(context, thread, runId, "/join");
  return context.body(values, 200, VALUES);
}

/** The values of the run, once it has ended. The status is sent before that is known: a failure is a part of the body. */
export function valuesOf(
  context: Context,
  options: AppOptions,
  { thread, run }: { readonly thread: RequestedThread; readonly run: NamedRun },
  disconnection: Disconnection | undefined,
): Response {
  const values = async (): Promise<Uint8Array> => {
    const reply = await call(thread, async (api): Promise<Reply<Uint8Array>> => {
      const answer = await api.joinRun(run);
      return answer.ok ? { ok: true, value: await whole(answer.value) } : answer;
    });
    if (reply.ok) return reply.value;
    return new TextEncoder().encode(stringifyJson({ __error__: langGraphError(reply.error) }));
  };
  locate(context, thread, run.runId, "/join");
  const body = waitingBody(values, {
    disconnection,
    waitUntil: (work) => context.executionCtx.waitUntil(work),
    watch: (signal) => reauthentications(context, options, signal, thread.address),
  });
  return context.body(body, 200, VALUES);
}
