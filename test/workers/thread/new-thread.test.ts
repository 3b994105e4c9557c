import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { createRuntime } from "../../../src/worker.ts";
import { Log } from "../../support/log.ts";

const graph = new StateGraph(Log)
  .addNode("note", () => ({ log: ["noted"] }))
  .addEdge(START, "note")
  .addEdge("note", END)
  .compile();

it("a new thread is not asked what its tables cannot have", async () => {
  const { Thread } = createRuntime({ graphs: { graph } });
  const [tenant, threadId] = [crypto.randomUUID(), crypto.randomUUID()];
  await runInDurableObject(env.THREAD.getByName(objectName(tenant, threadId)), async (_, state) => {
    const exec = vi.spyOn(state.storage.sql, "exec");
    const thread = new Thread(state, { ...env, DIRECTORY: undefined });
    const metadata = { owner: "ann" };
    expect(await thread.createThread({ tenant, threadId, metadata, ifExists: "raise" })).toMatchObject({
      ok: true,
    });
    const asked = exec.mock.calls.flatMap(
      ([statement]) => /^SELECT .* FROM (\w+)/s.exec(statement)?.[1] ?? [],
    );
    expect(new Set(asked)).toEqual(new Set(["sqlite_master", "namespaces"]));
    expect(asked.filter((table) => table === "sqlite_master")).toHaveLength(1);
    exec.mockRestore();

    const known = await thread.getThread({ tenant, threadId });
    const read = await new Thread(state, { ...env, DIRECTORY: undefined }).getThread({ tenant, threadId });
    expect(known).toMatchObject({ ok: true });
    expect(known).toEqual(read);
  });
});
