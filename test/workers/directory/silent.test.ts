import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DirectoryApi, ThreadEntry } from "../../../src/directory/protocol.ts";
import { END, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import type { ThreadObject } from "../../../src/thread/thread-object.ts";
import { createRuntime } from "../../../src/worker.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json } from "../../support/threads.ts";
import { startRun } from "./start-run.ts";

const graph = new StateGraph(Log)
  .addNode("note", () => ({ log: ["noted"] }))
  .addEdge(START, "note")
  .addEdge("note", END)
  .compile();

type Told = Pick<DirectoryApi, "knowsThread" | "putThread" | "removeThread">;

/** A directory that answers nobody before its gate opens, and does then what it was asked meanwhile. */
class SilentDirectory implements Told {
  readonly gate = new Gate();
  readonly entries = new Map<string, ThreadEntry>();

  async knowsThread(threadId: string): Promise<boolean> {
    await this.gate.pass();
    return this.entries.has(threadId);
  }

  async putThread(entry: ThreadEntry, expectation?: object): Promise<boolean> {
    await this.gate.pass();
    // What becomes of a draft, a directory asks by itself.
    if (expectation !== undefined) return true;
    const known = this.entries.get(entry.threadId);
    if (known === undefined || known.version < entry.version) this.entries.set(entry.threadId, entry);
    return false;
  }

  async removeThread(threadId: string): Promise<void> {
    await this.gate.pass();
    this.entries.delete(threadId);
  }
}

interface Unheard {
  readonly directory: SilentDirectory;
  readonly thread: ThreadObject;
  readonly address: { readonly tenant: string; readonly threadId: string };
  readonly create: () => Promise<unknown>;
  readonly storage: DurableObjectStorage;
  /** The times that its alarm was set for. It does not fire by itself, which another instance would serve. */
  readonly alarms: readonly number[];
}

async function unheard(work: (unheard: Unheard) => Promise<void>): Promise<void> {
  const { Thread } = createRuntime({ graphs: { graph }, report: () => undefined });
  const address = { tenant: crypto.randomUUID(), threadId: crypto.randomUUID() };
  const directory = new SilentDirectory();
  const stub = env.THREAD.getByName(objectName(address.tenant, address.threadId));
  await runInDurableObject(stub, async (_, state) => {
    const thread = new Thread(state, { ...env, DIRECTORY: { getByName: () => directory } });
    const alarms: number[] = [];
    vi.spyOn(state.storage, "setAlarm").mockImplementation(async (time) => void alarms.push(Number(time)));
    const create = () => thread.createThread({ ...address, metadata: {}, ifExists: "raise" });
    await work({ directory, thread, address, create, alarms, storage: state.storage });
    // What is on its way still says what it has to.
    directory.gate.open();
    await scheduler.wait(10);
  });
}

const done = { ok: true };
const unavailable = { ok: false, error: { code: "directory_unavailable" } };

/** What is waited for long is over soon. */
beforeEach(() => {
  const wait = scheduler.wait.bind(scheduler);
  vi.spyOn(scheduler, "wait").mockImplementation((time, ...rest) => wait(time < 5000 ? time : 20, ...rest));
});
afterEach(() => void vi.restoreAllMocks());

describe("a directory that does not answer", () => {
  it("keeps no thread from being made, which it hears of later", () =>
    unheard(async ({ directory, create, thread, address, storage }) => {
      expect(await create()).toMatchObject(done);
      expect(storage.sql.exec("SELECT kind FROM timers").toArray()).toEqual([{ kind: "announcement" }]);
      directory.gate.open();
      storage.sql.exec("UPDATE timers SET due = 1");
      await thread.alarm();
      expect(directory.entries.get(address.threadId)?.version).toBeGreaterThan(0);
    }));

  it("keeps no run from being taken in that makes its thread", () =>
    unheard(async ({ thread, address }) => {
      expect(await thread.startRun(startRun(address))).toMatchObject(done);
      expect(await thread.invoke(startRun(address))).toMatchObject(done);
    }));

  it("keeps nobody waiting for those that wait already", () =>
    unheard(async ({ create, thread, address }) => {
      await create();
      const begun = Date.now();
      const patches = Array.from({ length: 20 }, (_, n) =>
        thread.patchThread({ ...address, metadata: { n } }),
      );
      for (const patched of await Promise.all(patches)) expect(patched).toMatchObject(done);
      expect(Date.now() - begun).toBeLessThan(200);
    }));

  it("keeps no export from being made", () =>
    unheard(async ({ create, thread, address }) => {
      await create();
      const exported = await thread.exportThread(address);
      expect(exported).toMatchObject(done);
      if (exported.ok) await new Response(exported.value).arrayBuffer();
    }));

  it("keeps no other timer from being served", () =>
    unheard(async ({ create, thread, address, storage }) => {
      await create();
      const late = startRun(address);
      await thread.startRun({ ...late, request: { ...late.request, delay: 3_600_000 } });
      storage.sql.exec("UPDATE timers SET due = CASE kind WHEN 'announcement' THEN 1 ELSE 2 END");
      await thread.alarm();
      const statuses = () => storage.sql.exec("SELECT status FROM runs").toArray();
      await expect.poll(statuses).toEqual([{ status: "success" }]);
    }));

  it("leaves a thread that is to be deleted there until it has forgotten it, and all that it was told", () =>
    unheard(async ({ directory, create, thread, address, storage, alarms }) => {
      await create();
      await thread.invoke(startRun(address));
      expect(await thread.deleteThread(address)).toMatchObject(unavailable);
      expect(await thread.getThread(address)).toMatchObject(unavailable);
      expect(alarms.at(-1)).toBeGreaterThan(Date.now());
      directory.removeThread = async (threadId) => void directory.entries.delete(threadId);
      expect(await thread.deleteThread(address)).toMatchObject(unavailable);
      directory.gate.open();
      await thread.alarm();
      expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'thread'").toArray()).toEqual([]);
      await scheduler.wait(10);
      expect(directory.entries.size).toBe(0);
    }));

  it.for(["/threads/search", "/threads/count", "/store/items/search"])(
    "is not waited for by whoever asks it (%s)",
    async (path) => {
      const never = () => new Promise(() => undefined);
      const silent = { findThreads: never, countThreads: never, useStore: never };
      const runtime = createRuntime({ graphs: { graph }, report: () => undefined });
      const request = new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      const bound = { ...env, DIRECTORY: { getByName: () => silent } };
      const answer = runtime.fetch(request, bound, createExecutionContext());
      await expect(json(answer)).rejects.toMatchObject({ status: 503, code: "directory_unavailable" });
    },
  );
});
