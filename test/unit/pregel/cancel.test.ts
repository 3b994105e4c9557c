import { expect, it } from "vitest";
import { MemorySaver, type StreamMode } from "tidemark";
import type { StreamEvent } from "tidemark/pregel";
import { StorageError } from "../../../src/errors.ts";
import { chain, evictable, later, parallel, thread } from "./support.ts";

it("a run that is cancelled ends at once, and what its tasks do later is not stored", async () => {
  const controller = new AbortController();
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { graph } = evictable(
    parallel({
      slow: async () => {
        controller.abort(new Error("stop"));
        await finished;
        return { log: ["late"] };
      },
      quick: () => ({ log: ["quick"] }),
    }),
  );
  await expect(graph().invoke({}, { ...thread, signal: controller.signal })).rejects.toThrow("stop");
  finish();
  await later();
  const state = await graph().getState(thread);
  expect(state.values.log).toEqual(["quick"]);
  expect(state.next).toEqual(["slow"]);
});

it("a run whose signal is aborted already does nothing but take its input", async () => {
  let runs = 0;
  const { graph } = evictable(
    chain({
      a: () => {
        runs++;
        return {};
      },
    }),
  );
  const outcome = await graph().run(
    { kind: "input", value: { log: ["in"] } },
    { ...thread, signal: AbortSignal.abort("why") },
  );
  expect(outcome).toMatchObject({ status: "cancelled", reason: "why" });
  expect(runs).toBe(0);
  expect((await graph().invoke(null, thread)).log).toEqual(["in"]);
});

it("a cancel between supersteps stops the run there", async () => {
  const controller = new AbortController();
  const { graph } = evictable(
    chain({
      a: () => {
        queueMicrotask(() => controller.abort(new Error("stop")));
        return { log: ["a"] };
      },
      b: () => ({ log: ["b"] }),
    }),
  );
  await expect(graph().invoke({}, { ...thread, signal: controller.signal })).rejects.toThrow("stop");
  expect((await graph().invoke(null, thread)).log).toEqual(["a", "b"]);
});

it("leaving a stream cancels its run", async () => {
  const signals: AbortSignal[] = [];
  const { graph } = evictable(
    chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) })
      .addNode("c", async (_, config) => {
        signals.push(config.signal);
        await later(50);
        return { log: ["c"] };
      })
      .addEdge("b", "c"),
  );
  for await (const chunk of graph().stream({}, thread)) if (Object.hasOwn(Object(chunk), "b")) break;
  const [aborted] = signals;
  expect(aborted?.aborted ?? true).toBe(true);
  const state = await graph().getState(thread);
  expect(state.values.log).toEqual(["a", "b"]);
  expect(state.next).toEqual(["c"]);
});

it("a stream that was read to its end has not aborted anything", async () => {
  const signals: AbortSignal[] = [];
  const { graph } = evictable(
    chain({})
      .addNode("a", (_, config) => {
        signals.push(config.signal);
        return { log: ["a"] };
      })
      .addEdge("__start__", "a"),
  );
  for await (const _ of graph().stream({}, thread));
  expect(signals.map((signal) => signal.aborted)).toEqual([false]);
});

it("chunks that a task writes after its run are not emitted", async () => {
  const controller = new AbortController();
  const chunks: unknown[] = [];
  const graph = chain({})
    .addNode("a", async (_, config) => {
      config.writer("early");
      controller.abort();
      await later();
      config.writer("late");
      return {};
    })
    .addEdge("__start__", "a")
    .compile({ checkpointer: new MemorySaver() });
  const emit = (event: StreamEvent): void => void chunks.push(event.payload);
  const options = { ...thread, signal: controller.signal, modes: new Set<StreamMode>(["custom"]), emit };
  expect(await graph.run({ kind: "input", value: {} }, options)).toMatchObject({ status: "cancelled" });
  await later(3);
  expect(chunks).toEqual(["early"]);
});

it.each(["getTuple", "putWrites", "put"] as const)(
  "a fault of the storage in %s is no outcome of the run",
  async (method) => {
    const checkpointer = new MemorySaver();
    const graph = chain({ a: () => ({ log: ["a"] }) }).compile({ checkpointer });
    const works = checkpointer[method];
    const fails = (): Promise<never> => Promise.reject(new StorageError("blob_unavailable", "Try again."));
    Object.assign(checkpointer, { [method]: fails });
    await expect(graph.run({ kind: "input", value: {} }, thread)).rejects.toBeInstanceOf(StorageError);
    Object.assign(checkpointer, { [method]: works });
    expect((await graph.invoke({}, thread)).log).toEqual(["a"]);
  },
);

it("when storing fails the run rejects, after the other tasks have ended and are stored", async () => {
  class Failing extends MemorySaver {
    fails = false;
    readonly stored: string[] = [];

    override async putWrites(
      ...[config, writes, taskId, path]: Parameters<MemorySaver["putWrites"]>
    ): Promise<void> {
      if (this.fails) throw new Error("disk full");
      this.stored.push(path ?? "");
      return super.putWrites(config, writes, taskId, path);
    }
  }
  const checkpointer = new Failing();
  const graph = parallel({
    a: () => {
      checkpointer.fails = true;
      return { log: ["a"] };
    },
    slow: async () => {
      await later(2);
      checkpointer.fails = false;
      return { log: ["slow"] };
    },
  }).compile({ checkpointer });
  await expect(graph.invoke({}, thread)).rejects.toThrow("disk full");
  await later(5);
  expect(checkpointer.stored).toEqual(["~__pregel_pull, __start__", "~__pregel_pull, slow"]);
  expect((await graph.getState(thread)).next).toEqual(["a"]);
});
