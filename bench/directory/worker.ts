import { createRuntime } from "tidemark/worker";
import { DRAFT } from "../../src/draft-version.ts";
import { objectName } from "../../src/http/object-name.ts";
import { TenantDirectory } from "../../src/directory/tenant-directory.ts";
import type { DirectoryApi, ThreadEntry } from "../../src/directory/protocol.ts";
import { ours } from "../graphs/library.ts";
import { loopGraph } from "../graphs/loop.ts";
import { entryOf } from "./entries.ts";

const runtime = createRuntime({ graphs: { loop: loopGraph(ours) }, directory: { extract: ["topic"] } });
const SHARDS = 4;

export const Thread = runtime.Thread;

/** Takes entries in bulk, and can be sent to sleep. */
export class Directory extends runtime.Directory {
  async putThreads(entries: readonly ThreadEntry[]): Promise<void> {
    for (const entry of entries) await this.putThread(entry);
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
    const stubs = Array.from({ length: SHARDS }, (_, index) =>
      env.DIRECTORY.getByName(JSON.stringify(["", index])),
    );
    if (pathname === "/fill") return fill(stubs, from, to);
    if (pathname === "/draft") return draft(stubs, env.THREAD, from, to);
    if (pathname === "/leave") return leave(stubs);
    return runtime.fetch(request, env, ctx);
  },
};

type Stub = DurableObjectStub<Directory>;

/** Each thread in the object that it tells of itself. */
async function fill(stubs: readonly Stub[], from: number, to: number): Promise<Response> {
  const groups: ThreadEntry[][] = stubs.map(() => []);
  const collecting = groups.map((group) => ({
    putThread: async (entry: ThreadEntry) => void group.push(entry),
  }));
  // Of the objects only this method is asked.
  const directory = new TenantDirectory(
    collecting.map((shard) => (call) => call(shard as unknown as DirectoryApi)),
  );
  for (let index = from; index < to; index++) await directory.putThread(entryOf(index));
  const filling = groups.map(async (group, index) => {
    await stubs[index]?.putThreads(group);
  });
  await Promise.all(filling);
  return Response.json({});
}

const HOUR = 3_600_000;

/** Threads that are announced and never made. */
async function draft(
  stubs: readonly Stub[],
  threads: DurableObjectNamespace,
  from: number,
  to: number,
): Promise<Response> {
  const directory = new TenantDirectory(stubs.map((stub) => (call) => call(stub)));
  for (let index = from; index < to; index++) {
    const entry = { ...entryOf(index), version: DRAFT };
    const objectId = threads.idFromName(objectName("", entry.threadId)).toString();
    await directory.putThread(entry, { within: HOUR, objectId });
  }
  return Response.json({});
}

async function leave(stubs: readonly Stub[]): Promise<Response> {
  await Promise.allSettled(stubs.map((stub) => stub.leave()));
  return Response.json({});
}
