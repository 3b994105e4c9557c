import { createRuntime } from "tidemark/worker";
import { ours, theirs } from "../graphs/library.ts";
import { loopGraph, loopInput, recursionLimit } from "../graphs/loop.ts";
import { discard } from "../../src/discard.ts";
import { type RowsEach, writeAgain } from "./sql-alone.ts";

const runtime = createRuntime({ graphs: { loop: loopGraph(ours) } });

/** What an object measured of itself. */
export interface Measured {
  readonly milliseconds: number;
  /** How many checkpoints are stored. */
  readonly checkpoints: number;
}

/** Serves threads as ever, and measures runs from inside. */
export class Thread extends runtime.Thread {
  /** A run through the same call as over HTTP, from its start until all of it is durable. */
  async tidemark(threadId: string, supersteps: number): Promise<Measured> {
    const start = performance.now();
    const reply = await this.invoke({
      tenant: "",
      threadId,
      runId: crypto.randomUUID(),
      request: {
        input: { kind: "input", value: loopInput(supersteps) },
        config: { recursionLimit: recursionLimit(supersteps) },
        onInterrupted: "refuse",
        modes: [],
      },
    });
    await this.ctx.storage.sync();
    const milliseconds = performance.now() - start;
    if (!reply.ok) throw new Error(reply.error.message);
    await discard(reply.value);
    const [row] = this.ctx.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM checkpoints");
    return { milliseconds, checkpoints: row?.n ?? 0 };
  }

  /** No more than the statements of such a run. */
  async sqlAlone(threadId: string, supersteps: number, rowsEach: RowsEach): Promise<Measured> {
    const { checkpoints } = await this.tidemark(threadId, supersteps);
    return { milliseconds: await writeAgain(this.ctx.storage, supersteps, rowsEach), checkpoints };
  }

  /** The same graph on LangGraph.js in the same isolate; its saver keeps everything in memory. */
  async langgraph(threadId: string, supersteps: number): Promise<Measured> {
    const saver = new theirs.MemorySaver();
    const graph = loopGraph(theirs, saver);
    const config = { configurable: { thread_id: threadId } };
    const start = performance.now();
    await graph.invoke(loopInput(supersteps), { ...config, recursionLimit: recursionLimit(supersteps) });
    const milliseconds = performance.now() - start;
    let checkpoints = 0;
    for await (const _ of saver.list(config)) checkpoints += 1;
    return { milliseconds, checkpoints };
  }
}

interface Env {
  readonly THREAD: DurableObjectNamespace<Thread>;
}

/** `POST /measure/<what>?supersteps=N` measures; all else is Tidemark's API. */
export default {
  async fetch(request, env, ctx): Promise<Response> {
    const url = new URL(request.url);
    const supersteps = Number(url.searchParams.get("supersteps"));
    const threadId = crypto.randomUUID();
    const thread = env.THREAD.getByName(threadId);
    switch (url.pathname) {
      case "/measure/tidemark":
        return Response.json(await thread.tidemark(threadId, supersteps));
      case "/measure/two-rows":
        return Response.json(await thread.sqlAlone(threadId, supersteps, "two rows"));
      case "/measure/one-row":
        return Response.json(await thread.sqlAlone(threadId, supersteps, "one row"));
      case "/measure/langgraph":
        return Response.json(await thread.langgraph(threadId, supersteps));
      default:
        return runtime.fetch(request, env, ctx);
    }
  },
} satisfies ExportedHandler<Env>;
