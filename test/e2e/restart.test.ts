import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { Effects } from "./support/effects.ts";
import { request, requestJson } from "./support/request.ts";
import { Server, type ServerOptions } from "./support/server.ts";

interface Interrupt {
  readonly id: string;
  readonly value: unknown;
}

interface RunAnswer {
  readonly status: string;
  readonly values: Record<string, unknown>;
  readonly next: readonly string[];
  readonly interrupts: readonly Interrupt[];
  readonly checkpoint_id: string;
}

interface State {
  readonly values: Record<string, unknown>;
  readonly next: readonly string[];
  readonly tasks: readonly { readonly name: string; readonly result: unknown }[];
  readonly metadata: { readonly step: number };
  readonly interrupts: readonly Interrupt[];
}

const disposables: { dispose(): Promise<void> }[] = [];
afterAll(() => Promise.all(disposables.map((disposable) => disposable.dispose())));

async function serve(options?: ServerOptions): Promise<Server> {
  const server = new Server(options);
  disposables.push(server);
  await server.start();
  return server;
}

async function openEffects(): Promise<Effects> {
  const effects = await Effects.open();
  disposables.push(effects);
  return effects;
}

/** Each test has a server of its own. */
describe.concurrent("a server that is killed", () => {
  it("loses no question and no answer", async () => {
    const server = await serve();
    const thread = (verb = ""): string => `${server.url}/threads/order-1001${verb}`;
    const order = { id: "A-1001", item: "espresso machine", amount: 249 };
    const question = { question: "Refund 249 € for the espresso machine (A-1001)?", order };

    const asked = await requestJson<RunAnswer>(thread("/invoke"), {
      body: { input: { message: "Please refund order A-1001" } },
    });
    expect(asked.status).toBe(200);
    expect(asked.body).toMatchObject({ status: "interrupted", next: ["ask_person"] });
    const [pending] = asked.body.interrupts;
    expect(pending?.value).toEqual(question);

    for (let kills = 0; kills < 2; kills++) {
      await server.restart();
      const { body } = await requestJson<State>(thread("/state"));
      expect(body.next).toEqual(["ask_person"]);
      expect(body.interrupts).toEqual([pending]);
    }

    const answer = { interrupt_id: pending?.id, value: { approved: true } };
    const resumed = await requestJson<RunAnswer>(thread("/resume"), { body: answer });
    await server.restart();
    expect(resumed.body).toMatchObject({
      status: "success",
      values: { approved: true, refunded: 249, reply: "We have refunded 249 € for the espresso machine." },
      next: [],
    });
    const state = await requestJson<State>(thread("/state"));
    expect(state.body).toMatchObject({
      values: resumed.body.values,
      checkpoint: { checkpoint_id: resumed.body.checkpoint_id },
    });

    const again = await requestJson(thread("/resume"), { body: answer });
    expect(again).toEqual(resumed);
    const other = { ...answer, value: { approved: false } };
    const late = await requestJson(thread("/resume"), { body: other });
    expect(late).toMatchObject({ status: 409, body: { error: { code: "interrupt_answered" } } });

    const history = await requestJson<State[]>(thread("/history"));
    expect(history.body.map(({ metadata, next }) => [metadata.step, ...next])).toEqual([
      [5],
      [4, "write_reply"],
      [3, "refund"],
      [2, "ask_person"],
      [1, "look_up"],
      [0, "classify"],
      [-1, "__start__"],
    ]);

    expect(await request(thread(), { method: "DELETE" })).toEqual({ status: 204, text: "" });
    await server.restart();
    const gone = await requestJson(thread("/state"));
    expect(gone).toMatchObject({ status: 404, body: { error: { code: "thread_not_found" } } });
  });

  it("finishes its runs, and does nothing again that was done", async () => {
    const effects = await openEffects();
    const server = await serve({ config: join(import.meta.dirname, "fixtures/wrangler.toml") });
    const threads = ["polled", "left-alone"];
    const place = (id: string, effect: string): string => `${id}/${effect}`;
    const state = (id: string): Promise<{ readonly body: State }> =>
      requestJson<State>(`${server.url}/threads/${id}/state`);

    const callers = threads.map((id) => {
      effects.hold(place(id, "slow"));
      const input = { effects: `${effects.url}/${id}` };
      return request(`${server.url}/threads/${id}/invoke`, { body: { input } }).catch((error) => error);
    });
    for (const id of threads) {
      await vi.waitUntil(() => effects.count(place(id, "slow")) === 1, { timeout: 10_000 });
      // What "fast" did is stored, while "slow" is still at it.
      await vi.waitUntil(async () => {
        const { tasks } = (await state(id)).body;
        return tasks.some(({ name, result }) => name === "fast" && result !== null);
      });
    }

    await server.kill();
    expect(await Promise.all(callers)).toEqual(threads.map(() => expect.any(Error)));
    for (const id of threads) effects.release(place(id, "slow"));
    await server.start();

    await vi.waitUntil(async () => (await state("polled")).body.next.length === 0, { timeout: 10_000 });
    // Nobody asks for this one: its alarm takes it up.
    await vi.waitUntil(() => effects.count("left-alone/join") === 1, { timeout: 60_000, interval: 200 });

    for (const id of threads) {
      await vi.waitUntil(async () => (await state(id)).body.next.length === 0);
      expect((await state(id)).body.values).toMatchObject({ done: ["fast", "slow", "join"] });
      const counts = ["fast", "slow", "join"].map((effect) => effects.count(place(id, effect)));
      expect(counts).toEqual([1, 2, 1]);
      const history = await requestJson<State[]>(`${server.url}/threads/${id}/history`);
      expect(history.body.map(({ metadata }) => metadata.step)).toEqual([2, 1, 0, -1]);
    }
  });

  it("leaves its port free, also when only its first process is killed", async () => {
    const server = await serve();
    server.killStarter();
    const isGone = (): Promise<boolean> =>
      request(`${server.url}/ok`).then(
        () => false,
        () => true,
      );
    await vi.waitUntil(isGone, { timeout: 20_000 });
  });
});
