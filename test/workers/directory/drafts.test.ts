import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import type { DirectoryApi } from "../../../src/directory/protocol.ts";
import { objectName } from "../../../src/http/object-name.ts";
import type { ThreadObject } from "../../../src/thread/thread-object.ts";
import { createRuntime } from "../../../src/worker.ts";
import { exported } from "../../support/archives.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { startRun } from "./start-run.ts";

/** A thread that is not made yet, and what its directory does. */
interface Making {
  readonly thread: ThreadObject;
  readonly address: { readonly tenant: string; readonly threadId: string };
  readonly create: () => Promise<unknown>;
  readonly run: () => Promise<unknown>;
  readonly storage: DurableObjectStorage;
  /** Of the entries that came, whether each was a draft. */
  readonly drafts: readonly boolean[];
}

const made = { ok: true };

/** Each draft is answered when its gate opens; without one at once, with what `isExpected` says. */
async function making(
  gates: readonly (Gate | undefined)[],
  work: (making: Making) => Promise<void>,
  { isExpected = (): boolean => true, between = new Gate(), isDown = false } = {},
): Promise<void> {
  const graph = new StateGraph(Log)
    .addNode("note", () => ({ log: ["noted"] }))
    .addNode("more", () => ({}))
    .addEdge(START, "note")
    .addConditionalEdges(
      "note",
      async (state) => {
        if (!state.log.includes("edit")) return END;
        await between.pass();
        return "more";
      },
      ["more", END],
    )
    .addEdge("more", END)
    .compile();
  const { Thread } = createRuntime({ graphs: { graph } });
  const address = { tenant: crypto.randomUUID(), threadId: crypto.randomUUID() };
  const left = [...gates];
  const drafts: boolean[] = [];
  const directory: Pick<DirectoryApi, "knowsThread" | "putThread" | "removeThread"> = {
    knowsThread: async () => true,
    putThread: async (_, expectation) => {
      drafts.push(expectation !== undefined);
      if (expectation === undefined && isDown) throw new Error("down");
      if (expectation === undefined) return false;
      await left.shift()?.pass();
      return isExpected();
    },
    removeThread: async () => undefined,
  };
  const stub = env.THREAD.getByName(objectName(address.tenant, address.threadId));
  await runInDurableObject(stub, async (_, state) => {
    const thread = new Thread(state, { ...env, DIRECTORY: { getByName: () => directory } });
    await work({
      thread,
      address,
      drafts,
      storage: state.storage,
      create: () => thread.createThread({ ...address, metadata: {}, ifExists: "do_nothing" }),
      run: () => thread.invoke(startRun(address)),
    });
    vi.restoreAllMocks();
  });
}

function timers(storage: DurableObjectStorage): unknown[] {
  return storage.sql.exec("SELECT kind FROM timers").toArray();
}

/** A timer sees to it that the directory hears of it. */
const watched = [{ kind: "announcement" }];

describe("a thread whose draft the directory knows", () => {
  it("needs no timer", () =>
    making([], async ({ create, storage }) => {
      expect(await create()).toMatchObject(made);
      expect(timers(storage)).toEqual([]);
    }));

  it("has a timer when the directory does not say that it asks", () =>
    making(
      [],
      async ({ create, storage }) => {
        expect(await create()).toMatchObject(made);
        expect(timers(storage)).toEqual(watched);
      },
      { isExpected: () => false },
    ));

  it("has a timer when the directory has asked before it was made", async () => {
    const gate = new Gate();
    await making([gate], async ({ thread, create, storage }) => {
      const creating = create();
      await gate.reached();
      expect(await thread.announceThread()).toEqual({ ok: true, value: false });
      gate.open();
      expect(await creating).toMatchObject(made);
      expect(timers(storage)).toEqual(watched);
    });
  });

  it("has a timer when it was deleted before it was made", async () => {
    const gate = new Gate();
    await making([gate], async ({ thread, address, create, storage }) => {
      const creating = create();
      await gate.reached();
      expect(await thread.deleteThread(address)).toMatchObject({ error: { code: "thread_not_found" } });
      gate.open();
      expect(await creating).toMatchObject(made);
      expect(timers(storage)).toEqual(watched);
    });
  });

  it("has a timer when a run has made it meanwhile, and it was deleted", async () => {
    const gate = new Gate();
    await making([gate], async ({ thread, address, create, run, storage }) => {
      const creating = create();
      await gate.reached();
      await run();
      expect(await thread.deleteThread(address)).toEqual({ ok: true, value: null });
      gate.open();
      expect(await creating).toMatchObject(made);
      expect(timers(storage)).toEqual(watched);
    });
  });

  it("has a timer after it was told, also when another draft of it comes late", async () => {
    const gate = new Gate();
    await making([undefined, gate], async ({ thread, address, create, drafts, storage }) => {
      const creating = [create(), create()];
      await gate.reached();
      await creating[0];
      await expect.poll(() => drafts, { timeout: 5000 }).toEqual([true, true, false]);
      gate.open();
      await creating[1];
      expect(await thread.patchThread({ ...address, metadata: { n: 1 } })).toMatchObject(made);
      expect(timers(storage)).toEqual(watched);
    });
  });

  it("has a timer when the directory does not take what it tells", () =>
    making(
      [],
      async ({ create, run, storage }) => {
        await create();
        await run();
        await expect.poll(() => timers(storage)).toEqual(watched);
      },
      { isDown: true },
    ));

  it("has a timer when making it has failed before", () =>
    making([], async ({ create, run, storage }) => {
      vi.spyOn(storage, "transactionSync").mockImplementationOnce(() => {
        throw new Error("full");
      });
      await expect(create()).rejects.toThrow("full");
      await run();
      expect(timers(storage)).toEqual(watched);
    }));
});

describe("a thread whose import begins before it is made", () => {
  it("is what was imported, and not made", async () => {
    const [gate, source] = [new Gate(), new TestThread()];
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ thread_id: source.id });
    await json(request("/threads", { method: "POST", headers, body }));
    const archive = await exported(source);
    await making([gate], async ({ thread, address, create, storage }) => {
      const creating = create();
      await gate.reached();
      const { readable, writable } = new IdentityTransformStream();
      const importing = thread.importThread(address, readable);
      await scheduler.wait(10);
      gate.open();
      expect(await creating).toMatchObject({ error: { code: "thread_busy" } });
      const writer = writable.getWriter();
      await writer.write(archive);
      await writer.close();
      expect(await importing).toMatchObject(made);
      expect(storage.sql.exec("SELECT deleting FROM thread").toArray()).toEqual([{ deleting: 0 }]);
    });
  });
});

describe("an edit of the state", () => {
  it("is not told before it is made", async () => {
    const between = new Gate();
    await making(
      [],
      async ({ thread, address, create, run, drafts }) => {
        await create();
        await run();
        await expect.poll(() => drafts).toEqual([true, false]);
        const edit = { editId: crypto.randomUUID(), values: { log: ["edit"] }, asNode: "note" };
        const editing = thread.updateState({ ...address, ...edit });
        await between.reached();
        expect(await thread.announceThread()).toEqual({ ok: true, value: true });
        expect(drafts).toHaveLength(2);
        between.open();
        expect(await editing).toMatchObject(made);
        await expect.poll(() => drafts, { timeout: 5000 }).toHaveLength(3);
      },
      { between },
    );
  });
});
