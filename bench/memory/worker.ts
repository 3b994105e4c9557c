import { Annotation, START, StateGraph } from "tidemark";
import { createRuntime } from "tidemark/worker";
import type { StartRun } from "../../src/thread/protocol.ts";
import { isKind, make } from "./values.ts";

const Asked = Annotation.Root({ kind: Annotation<string>() });
const State = Annotation.Root({ ...Asked.spec, value: Annotation<unknown>() });

/** Makes a large value, which the run does not answer with. */
const large = new StateGraph({ state: State, output: Asked })
  .addNode("make", ({ kind }) => ({ value: isKind(kind) ? make(kind) : undefined }))
  .addNode("look", ({ value }) => ({ kind: typeof value }))
  .addEdge(START, "make")
  .addEdge("make", "look")
  .compile();

const runtime = createRuntime({ graphs: { large } });

export class Thread extends runtime.Thread {
  /** Stores the value, and reads it as an object does that remembers nothing. */
  async keep(threadId: string, kind: string): Promise<void> {
    await this.#run(threadId, { kind: "input", value: { kind } });
    const cold = new runtime.Thread(this.ctx, this.env);
    const again = { tenant: "", threadId, runId: crypto.randomUUID() };
    const request: StartRun["request"] = {
      input: { kind: "input", value: { kind: "none" } },
      config: {},
      onInterrupted: "refuse",
      modes: [],
    };
    const reply = await cold.invoke({ ...again, request });
    if (!reply.ok) throw new Error(reply.error.message);
    await new Response(reply.value).arrayBuffer();
  }

  async #run(threadId: string, input: StartRun["request"]["input"]): Promise<void> {
    const request: StartRun["request"] = {
      graph: "large",
      input,
      config: {},
      onInterrupted: "refuse",
      modes: [],
    };
    const reply = await this.invoke({ tenant: "", threadId, runId: crypto.randomUUID(), request });
    if (!reply.ok) throw new Error(reply.error.message);
    await new Response(reply.value).arrayBuffer();
  }
}

export const Directory = runtime.Directory;

interface Env {
  readonly THREAD: DurableObjectNamespace<Thread>;
}

/** `POST /<kind>`: keeps such a value in a thread of its own. */
export default {
  async fetch(request, env): Promise<Response> {
    const kind = new URL(request.url).pathname.slice(1);
    const threadId = `${kind} ${crypto.randomUUID()}`;
    await env.THREAD.getByName(threadId).keep(threadId, kind);
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;
