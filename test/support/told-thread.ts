import { until } from "./gate.ts";
import { request, TestThread } from "./threads.ts";

export interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly thread_id: string;
    readonly run_id: string;
    readonly status: string;
    readonly values: unknown;
    readonly interrupts: readonly { readonly id: string; readonly value: unknown; readonly url: string }[];
    readonly checkpoint_id: string;
    readonly error?: unknown;
  };
}

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A thread that tells a webhook of its own, and what has come there. */
export class ToldThread extends TestThread {
  webhook(behaviour = "ok"): string {
    return `http://receiver/${behaviour}/${this.id}`;
  }

  async received(): Promise<readonly Received[]> {
    const answer = await fetch(`http://receiver/received/${this.id}`);
    return answer.json<readonly Received[]>();
  }

  async messages(count: number): Promise<Message[]> {
    await until(async () => (await this.received()).length >= count);
    return (await this.received()).map(({ body }) => JSON.parse(body) as Message);
  }

  /** The path of the link in the newest message. */
  async link(count = 1): Promise<string> {
    const message = (await this.messages(count)).at(-1);
    return new URL(message?.data.interrupts[0]?.url ?? "").pathname;
  }

  /** Starts a run of the graph that is deployed. */
  async tell(behaviour = "ok"): Promise<void> {
    await this.invoke({ input: { log: [] }, webhook: this.webhook(behaviour) });
  }

  async deliveries(): Promise<readonly Record<string, unknown>[]> {
    return (await this.get("/deliveries")) as readonly Record<string, unknown>[];
  }

  async settles(status: string): Promise<Record<string, unknown>> {
    await until(async () => (await this.deliveries()).every((delivery) => delivery["status"] === status));
    return (await this.deliveries())[0] ?? {};
  }
}

/** Answers by a link. */
export function answerLink(path: string, value: unknown): Promise<Response> {
  return request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(value),
  });
}
