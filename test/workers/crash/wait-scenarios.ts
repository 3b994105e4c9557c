import { interrupt, sleep, waitForEvent } from "../../../src/index.ts";
import { sign } from "../../../src/hooks/hmac.ts";
import type { CreateCron } from "../../../src/thread/crons/cron-protocol.ts";
import { until } from "../../support/gate.ts";
import { json, request, type TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";
import { codeOf, insist, post, statusesOf } from "./client.ts";
import { asking, input, stopping, working } from "./graphs.ts";
import { type Effects, type Scenario, settled } from "./scenario.ts";

/** The time after which what waits is over, in milliseconds: it has to wait first, also on a machine that is busy. */
const SHORT = 150;

const listening = (effects: Effects) => stopping(effects, () => String(waitForEvent("n").payload));

/** A webhook of a sender that sends it again when it gets no answer. */
async function deliver(thread: TestThread): Promise<unknown> {
  const body = JSON.stringify({ thread: thread.id, id: "d1", key: "n", payload: 7 });
  const signature = await sign(new TextEncoder().encode("secret"), body);
  const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const headers = { "x-hub-signature-256": `sha256=${hex}` };
  return insist(() => json(request("/webhooks/github", { method: "POST", headers, body })));
}

/** In the object of a thread that can be named. */
function cronOf(thread: TestThread, cronId: string): CreateCron {
  return {
    tenant: "",
    threadId: thread.id,
    cronId,
    schedule: "every 3600000",
    timezone: "UTC",
    enabled: true,
    endAt: undefined,
    assistant: "working",
    threads: "keep",
    request: {
      graph: "working",
      input: { kind: "input", value: input.input },
      config: {},
      onInterrupted: "refuse",
      modes: [],
    },
  };
}

function ended(thread: TestThread): Promise<void> {
  return until(async () => {
    await settled(thread);
    return (await insist(() => thread.state())).next.length === 0;
  }, 10_000);
}

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Told {
  readonly type: string;
  readonly data: { readonly interrupts: readonly { readonly url: string }[] };
}

async function received(thread: TestThread): Promise<readonly Received[]> {
  return (await fetch(`http://receiver/received/${thread.id}`)).json<readonly Received[]>();
}

/** The path of the link in the newest message, when so many have come. */
async function link(thread: TestThread, count: number): Promise<string> {
  await settled(thread);
  const bodies = new Set((await received(thread)).map(({ body }) => body));
  const told = JSON.parse(Array.from(bodies)[count - 1] ?? "") as Told;
  return new URL(told.data.interrupts[0]?.url ?? "").pathname;
}

function answer(path: string, value: string): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  return insist(() => json(request(path, { method: "POST", headers, body: JSON.stringify(value) })));
}

/** What answers a thread that waits. */
export const WAITS: readonly Scenario[] = [
  {
    name: "a sleep",
    play: async (thread, effects) => {
      deploy({
        sleeping: stopping(effects, () => {
          sleep(SHORT);
          return "slept";
        }),
      });
      await insist(() => thread.invoke(input));
      await ended(thread);
      return statusesOf(thread);
    },
  },
  {
    name: "an event that comes before anybody waits for it",
    play: async (thread, effects) => {
      deploy({
        listening: stopping(
          effects,
          () => `${String(interrupt("go?"))} ${String(waitForEvent("n").payload)}`,
        ),
      });
      const { interrupts } = await insist(() => thread.invoke(input));
      await insist(() => post(thread, "/events/n", { n: 7 }, { "idempotency-key": "n" }));
      await insist(() => post(thread, "/events/n", { n: 7 }, { "idempotency-key": "n" }));
      await insist(() => thread.resume({ interrupt_id: interrupts[0]?.id, value: "go" }));
      await ended(thread);
      return statusesOf(thread);
    },
  },
  {
    name: "an event that somebody waits for",
    play: async (thread, effects) => {
      deploy({ listening: listening(effects) });
      await insist(() => thread.invoke(input));
      await insist(() => post(thread, "/events/n", { n: 7 }));
      await ended(thread);
      return statusesOf(thread);
    },
  },
  {
    name: "an event that does not come in time",
    play: async (thread, effects) => {
      const wait = () => JSON.stringify(waitForEvent("n", { timeout: SHORT }));
      deploy({ listening: stopping(effects, wait) });
      await insist(() => thread.invoke(input));
      await ended(thread);
      return statusesOf(thread);
    },
  },
  {
    name: "a question that expires",
    play: async (thread, effects) => {
      const ask = () => interrupt<string, string>("ok?", { expiresIn: SHORT, default: "no" });
      deploy({ asking: stopping(effects, ask) });
      const { interrupts } = await insist(() => thread.invoke(input));
      await ended(thread);
      const late = thread.resume({ interrupt_id: interrupts[0]?.id, value: "yes" });
      return [await codeOf(late), await statusesOf(thread)];
    },
  },
  {
    name: "a webhook that is sent twice",
    play: async (thread, effects) => {
      deploy({ listening: listening(effects) });
      await insist(() => thread.invoke(input));
      const receipts = [await deliver(thread), await deliver(thread)].map((each) => JSON.stringify(each));
      await ended(thread);
      return [receipts[0] === receipts[1], await statusesOf(thread)];
    },
  },
  {
    name: "questions that a webhook is told of, and links that answer them",
    play: async (thread, effects) => {
      deploy({ asking: asking(effects) });
      const webhook = `http://receiver/ok/${thread.id}`;
      await insist(() => thread.invoke({ ...input, webhook }));
      const first = await link(thread, 1);
      const seen = [await answer(first, "yes"), await codeOf(answer(first, "no"))];
      seen.push(await answer(await link(thread, 2), "no"));
      await ended(thread);
      for (const { headers } of await received(thread)) effects.note("message", headers["webhook-id"] ?? "");
      return [seen, await statusesOf(thread)];
    },
  },
  {
    name: "a cron, which is deleted when it has started a run",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      await insist(() => thread.invoke(input));
      const cron = { ...input, schedule: "every 3600000" };
      const { cron_id: id } = (await insist(() => post(thread, "/runs/crons", cron))) as { cron_id: string };
      await until(async () => {
        await thread.fireAlarm().catch(() => false);
        return (await statusesOf(thread)).length > 1;
      });
      await insist(() => json(request(`${thread.path}/runs/crons/${id}`, { method: "DELETE" })));
      await settled(thread);
      return statusesOf(thread);
    },
  },
  {
    name: "a cron whose runs have threads of their own",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      await insist(() => thread.invoke(input));
      const cronId = crypto.randomUUID();
      await insist(() => thread.stub.createCron(cronOf(thread, cronId)));
      await until(async () => {
        await thread.fireAlarm().catch(() => false);
        const [cron] = (await insist(() => thread.get("/runs/crons"))) as { last_run_id: string | null }[];
        return cron?.last_run_id !== null;
      });
      await insist(() => json(request(`${thread.path}/runs/crons/${cronId}`, { method: "DELETE" })));
      await until(() => Object.values(effects.wanted()).every((times) => times === 2));
      return statusesOf(thread);
    },
  },
  {
    name: "an edit of a thread that sleeps",
    play: async (thread, effects) => {
      deploy({
        sleeping: stopping(effects, () => {
          sleep(SHORT);
          return "slept";
        }),
      });
      const { checkpoint_id: paused } = await insist(() => thread.invoke(input));
      await ended(thread);
      const edit = { values: { log: ["edited"] }, as_node: "before", checkpoint_id: paused };
      await insist(() => post(thread, "/state", edit, { "idempotency-key": "edit" }));
      await settled(thread);
      return statusesOf(thread);
    },
  },
];
