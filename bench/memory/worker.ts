import { Annotation, START, StateGraph } from "tidemark";
import { createRuntime } from "tidemark/worker";
import type { StartRun } from "../../src/thread/protocol.ts";
import { keepBare } from "./bare.ts";
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

const inRows = createRuntime({ graphs: { large }, bindings: { blobs: "NO_BUCKET" } });
const inBucket = createRuntime({ graphs: { large } });

export class Thread extends inRows.Thread {
  /** Stores the value, and reads it as an object does that remembers nothing. */
  async keep(threadId: string, kind: string, place: string): Promise<void> {
    const runtime = place === "R2" ? inBucket : inRows;
    for (const each of [kind, "none"]) {
      const request: StartRun["request"] = {
        graph: "large",
        input: { kind: "input", value: { kind: each } },
        config: {},
        onInterrupted: "refuse",
        modes: [],
      };
      const start = { tenant: "", threadId, runId: crypto.randomUUID(), request };
      const reply = await new runtime.Thread(this.ctx, this.env).invoke(start);
      if (!reply.ok) throw new Error(reply.error.message);
      await new Response(reply.value).arrayBuffer();
    }
  }

  async keepBare(kind: string, place: string): Promise<void> {
    const bucket = place === "R2" ? (this.env as unknown as Env).BLOBS : undefined;
    if (isKind(kind)) await keepBare(this.ctx.storage, bucket, make(kind));
  }
}

export const Directory = inRows.Directory;

interface Env {
  readonly THREAD: DurableObjectNamespace<Thread>;
  readonly BLOBS: R2Bucket;
}

/** `POST /<subject>/<place>/<kind>`: keeps such a value in an object of its own. */
export default {
  async fetch(request, env): Promise<Response> {
    const [, subject, place = "", kind = ""] = new URL(request.url).pathname.split("/");
    const threadId = `${kind} ${crypto.randomUUID()}`;
    const thread = env.THREAD.getByName(threadId);
    await (subject === "bare" ? thread.keepBare(kind, place) : thread.keep(threadId, kind, place));
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;
