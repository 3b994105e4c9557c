import { Annotation, START, StateGraph } from "tidemark";
import { EncryptedSerializer } from "tidemark/checkpoint";
import { createRuntime, type Runtime } from "tidemark/worker";
import type { StartRun } from "../../src/thread/protocol.ts";
import { keepBare } from "./bare.ts";
import { collectingBucket, collectingState, collectWhereMuchIsTaken } from "./collecting.ts";
import { isKind, make, type Place } from "./values.ts";

const Asked = Annotation.Root({ kind: Annotation<string>() });
const State = Annotation.Root({ ...Asked.spec, value: Annotation<unknown>() });

/** Makes a large value, which the run does not answer with. */
const large = new StateGraph({ state: State, output: Asked })
  .addNode("make", ({ kind }) => ({ value: isKind(kind) ? make(kind) : undefined }))
  .addNode("look", ({ value }) => ({ kind: typeof value }))
  .addEdge(START, "make")
  .addEdge("make", "look")
  .compile();

const graphs = { large };
const KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const runtimes: Record<Place, Runtime> = {
  SQLite: createRuntime({ graphs, bindings: { blobs: "NO_BUCKET" } }),
  R2: createRuntime({ graphs }),
  encrypted: createRuntime({
    graphs,
    serde: () => new EncryptedSerializer({ current: "key", keys: { key: KEY } }),
  }),
};

collectWhereMuchIsTaken();

export class Thread extends runtimes.SQLite.Thread {
  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(collectingState(state), env);
  }

  /** Stores the value, and reads it as an object does that remembers nothing. */
  async keep(threadId: string, place: Place, kind: string): Promise<void> {
    const env = { ...this.env, BLOBS: collectingBucket(bucketOf(this.env)) };
    for (const each of [kind, "none"]) {
      const request: StartRun["request"] = {
        graph: "large",
        input: { kind: "input", value: { kind: each } },
        config: {},
        onInterrupted: "refuse",
        modes: [],
      };
      const start = { tenant: "", threadId, runId: crypto.randomUUID(), request };
      const reply = await new runtimes[place].Thread(this.ctx, env).invoke(start);
      if (!reply.ok) throw new Error(reply.error.message);
      await new Response(reply.value).arrayBuffer();
    }
  }

  async keepBare(place: Place, kind: string): Promise<void> {
    const bucket = place === "SQLite" ? undefined : bucketOf(this.env);
    if (isKind(kind)) await keepBare(this.ctx.storage, bucket, make(kind));
  }
}

export const Directory = runtimes.SQLite.Directory;

function bucketOf(env: object): R2Bucket {
  return (env as { readonly BLOBS: R2Bucket }).BLOBS;
}

interface Env {
  readonly THREAD: DurableObjectNamespace<Thread>;
}

/** `POST /<subject>/<place>/<kind>`: keeps such a value in an object of its own. */
export default {
  async fetch(request, env): Promise<Response> {
    const [, subject, place = "", kind = ""] = new URL(request.url).pathname.split("/");
    if (!isPlace(place)) return new Response("ready");
    const threadId = `${kind} ${crypto.randomUUID()}`;
    const thread = env.THREAD.getByName(threadId);
    await (subject === "bare" ? thread.keepBare(place, kind) : thread.keep(threadId, place, kind));
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;

function isPlace(place: string): place is Place {
  return Object.hasOwn(runtimes, place);
}
