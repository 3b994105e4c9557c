import { createRuntime } from "tidemark/worker";
import { DRAFT } from "../../src/draft-version.ts";
import { TenantDirectory } from "../../src/directory/tenant-directory.ts";
import type { DirectoryApi, Expectation, ThreadEntry } from "../../src/directory/protocol.ts";
import { ours } from "../graphs/library.ts";
import { loopGraph } from "../graphs/loop.ts";
import { entryOf } from "./entries.ts";

const runtime = createRuntime({ graphs: { loop: loopGraph(ours) }, directory: { extract: ["topic"] } });
const SHARDS = 4;
const HOUR = 3_600_000;

export const Thread = runtime.Thread;

/** Takes entries in bulk, and can be sent to sleep. */
export class Directory extends runtime.Directory {
  async putThreads(entries: readonly ThreadEntry[], expectation?: Expectation): Promise<void> {
    for (const entry of entries) await this.putThread(entry, expectation);
  }

  leave(): void {
    this.ctx.abort("Asleep for the benchmark.");
  }
}

interface Env {
  readonly THREAD: DurableObjectNamespace;
  readonly DIRECTORY: DurableObjectNamespace<Directory>;
}

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [from, to] = [Number(searchParams.get("from")), Number(searchParams.get("to"))];
    const entries = Array.from({ length: to - from }, (_, index) => entryOf(from + index));
    const stubs = Array.from({ length: SHARDS }, (_, index) =>
      env.DIRECTORY.getByName(JSON.stringify(["", index])),
    );
    if (pathname === "/fill") return fill(stubs, entries);
    if (pathname === "/draft") {
      const drafts = entries.map((entry) => ({ ...entry, version: DRAFT }));
      // Of a thread that is never made.
      const objectId = env.THREAD.idFromName("nobody").toString();
      return fill(stubs, drafts, { within: HOUR, objectId });
    }
    if (pathname === "/leave") return leave(stubs);
    return runtime.fetch(request, env, ctx);
  },
};

type Stub = DurableObjectStub<Directory>;

/** Each thread in the object that it tells of itself. */
async function fill(
  stubs: readonly Stub[],
  entries: readonly ThreadEntry[],
  expectation?: Expectation,
): Promise<Response> {
  const groups: ThreadEntry[][] = stubs.map(() => []);
  const collecting = groups.map((group) => ({
    putThread: async (entry: ThreadEntry) => void group.push(entry),
  }));
  // Of the objects only this method is asked.
  const directory = new TenantDirectory(
    collecting.map((shard) => (call) => call(shard as unknown as DirectoryApi)),
  );
  for (const entry of entries) await directory.putThread(entry);
  const filling = groups.map(async (group, index) => {
    await stubs[index]?.putThreads(group, expectation);
  });
  await Promise.all(filling);
  return Response.json({});
}

async function leave(stubs: readonly Stub[]): Promise<Response> {
  await Promise.allSettled(stubs.map((stub) => stub.leave()));
  return Response.json({});
}
