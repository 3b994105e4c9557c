import { RefusedError, TidemarkError } from "../../errors.ts";
import { checkWebhookTarget } from "../../hooks/webhook-target.ts";
import { stoppedAfter } from "../../in-time.ts";
import { webhookHeaders } from "../../hooks/webhook-signature.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { RunRequest } from "../runs/run-request.ts";
import { runEnd } from "../runs/run-answer.ts";
import { unstageRun } from "../runs/stage-run.ts";
import type { StateReader } from "../state/state-reader.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { Timer } from "../timers/timers.ts";
import { deliveryOf, type Attempted, type Delivery } from "./delivery-rows.ts";
import { messageOf } from "./message.ts";
import type { OutboxOptions } from "./outbox-options.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after an attempt that has failed the next one follows; after the last of them it is given up. */
const RETRIES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR] as const;

/** How long a receiver may take, in milliseconds. */
const TIMEOUT = 15 * SECOND;

export interface OutboxParts {
  readonly storage: ThreadStorage;
  readonly states: StateReader;
  readonly platform: ThreadPlatform;
  readonly options: OutboxOptions;
}

/**
 * Tells webhooks how runs came out, at least once each. That there is something to tell is written in the transaction in
 * which the run comes, that it may be told in the one in which it ends; what is told is made of the run's own row.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #underWay = new Set<string>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Refuses a webhook that cannot be told. */
  check({ webhook }: Pick<RunRequest, "webhook">): void {
    const { allowed, secrets } = this.#parts.options;
    if (webhook === undefined) return;
    if (secrets().length === 0) throw noWebhooks();
    checkWebhookTarget(webhook, allowed);
  }

  /** In the transaction that takes the run in. */
  expect(runId: string, { webhook }: RunRequest): void {
    const { storage, options } = this.#parts;
    const isWanted = webhook !== undefined || Object.hasOwn(options.webhooks, storage.thread()?.graph ?? "");
    if (isWanted) storage.deliveries.insert(runId);
  }

  /** In the transaction in which the run ends. */
  release(runId: string): void {
    const { storage, platform } = this.#parts;
    const now = platform.now();
    const id = deliveryOf(runId);
    if (storage.deliveries.release(id, now)) storage.timers.set("delivery", id, now);
  }

  /** It is time for an attempt: the one after it is set first, should this one be lost. */
  onTimer({ id }: Timer): void {
    const { storage, platform } = this.#parts;
    const delivery = storage.transaction(() => {
      const pending = storage.deliveries.get(id);
      if (pending?.status !== "pending") {
        storage.timers.clear("delivery", id);
        return undefined;
      }
      const isUnderWay = this.#underWay.has(id);
      // The last attempt was lost, and with it what it came to.
      if (!isUnderWay && pending.attempts > RETRIES.length) {
        storage.deliveries.note(id, { response: undefined, error: "unreachable" });
        this.#end(id, "failed");
        return undefined;
      }
      storage.timers.set("delivery", id, platform.now() + (RETRIES[pending.attempts] ?? platform.lease));
      if (isUnderWay) return undefined;
      storage.deliveries.begin(id);
      return { ...pending, attempts: pending.attempts + 1 };
    });
    platform.reached("delivery.begun");
    if (delivery === undefined) return;
    this.#underWay.add(id);
    const delivered = this.#deliver(delivery)
      .catch((fault: unknown) => platform.report(fault))
      .finally(() => this.#underWay.delete(id));
    platform.waitUntil(delivered);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { storage, platform } = this.#parts;
    const attempted = await this.#attempt(delivery);
    platform.reached("delivery.answered");
    this.#log(delivery, attempted);
    if (storage.thread()?.deleting !== 0 || storage.deliveries.get(delivery.id) === undefined) return;
    storage.transaction(() => this.#note(delivery, attempted));
  }

  #note({ id, attempts }: Delivery, attempted: Attempted): void {
    const { storage, platform } = this.#parts;
    const { response } = attempted;
    storage.deliveries.note(id, attempted);
    const isDelivered = wasTaken(attempted);
    const delay = RETRIES[attempts - 1];
    // A receiver that is gone does not want to be told again.
    if (!isDelivered && delay !== undefined && response !== 410)
      return storage.timers.set("delivery", id, platform.now() + delay);
    this.#end(id, isDelivered ? "delivered" : "failed");
  }

  #log({ id, run, attempts }: Delivery, attempted: Attempted): void {
    const isTaken = wasTaken(attempted);
    this.#parts.platform.log.note(isTaken ? "info" : "warn", isTaken ? "delivery.taken" : "delivery.failed", {
      delivery_id: id,
      run_id: run,
      attempt: attempts,
      status: attempted.response,
      code: attempted.error,
    });
  }

  #end(id: string, status: "delivered" | "failed"): void {
    const { storage, platform } = this.#parts;
    storage.deliveries.end(id, status, platform.now());
    storage.timers.clear("delivery", id);
  }

  async #attempt(delivery: Delivery): Promise<Attempted> {
    const { options, platform } = this.#parts;
    try {
      const { target, body } = await this.#message(delivery);
      const signed = await webhookHeaders(options.secrets(), { id: delivery.id, time: platform.now(), body });
      const headers = { "content-type": "application/json", "user-agent": "tidemark", ...signed };
      const response = await stoppedAfter(TIMEOUT, (signal) =>
        // Where it leads to has not been checked.
        options.send(target, { method: "POST", headers, body, redirect: "manual", signal }),
      );
      await response.body?.cancel();
      return { response: response.status, error: undefined };
    } catch (error) {
      const code = error instanceof TidemarkError ? error.code : "unreachable";
      return { response: undefined, error: code };
    }
  }

  async #message(delivery: Delivery): Promise<{ readonly target: URL; readonly body: string }> {
    const { storage, states, options } = this.#parts;
    const thread = storage.thread();
    const run = storage.runs.get(delivery.run);
    if (thread === undefined || run === undefined)
      throw new TidemarkError("run_not_found", "The run is gone.");
    const { thread_id: threadId, graph } = thread;
    const { webhook } = await unstageRun(storage, threadId, run);
    const target = checkWebhookTarget(webhook ?? options.webhooks[graph] ?? "", options.allowed);
    const end = await runEnd(storage, threadId, run);
    const values = end.error === undefined ? await states.values(threadId, end, "output") : undefined;
    const links = options.links?.();
    return { target, body: await messageOf({ thread, delivery, end, values, links }) };
  }
}

function wasTaken({ response = 0 }: Attempted): boolean {
  return response >= 200 && response < 300;
}

function noWebhooks(): RefusedError {
  const message = "This server tells no webhooks: createRuntime was given no `deliveries`.";
  return new RefusedError("invalid_webhook", message);
}
