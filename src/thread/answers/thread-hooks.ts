import type { Ready } from "../access.ts";
import type { AnswerRecord } from "./answer-rows.ts";
import { RefusedError } from "../../errors.ts";
import { jsonBytes } from "../answer-text.ts";
import { hookBusy, hookRevoked, hookUsed, threadNotFound } from "../errors.ts";
import { wireDelivery } from "../outbox/wire-delivery.ts";
import type { HookAddress, HooksApi, ListDeliveries } from "./hook-protocol.ts";
import type { Bytes, Idempotency, Reply } from "../call.ts";
import type { StartRun } from "../runs/run-protocol.ts";
import { replying } from "../replying.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { StateReader } from "../state/state-reader.ts";
import type { ThreadStorage } from "../thread-storage.ts";

export interface ThreadHooksParts {
  readonly storage: ThreadStorage;
  readonly states: StateReader;
  readonly admission: RunAdmission;
  readonly queue: RunQueue;
  readonly ready: Ready;
}

/**
 * Answers that come by link: each link is good for one answer to one question, as long as that is open. And what has become of
 * the messages that links are sent with.
 */
export class ThreadHooks implements HooksApi {
  readonly #parts: ThreadHooksParts;

  constructor(parts: ThreadHooksParts) {
    this.#parts = parts;
  }

  listDeliveries(list: ListDeliveries): Promise<Reply<Bytes>> {
    const { storage, ready } = this.#parts;
    return replying(async () => {
      await ready(list);
      if (storage.thread() === undefined) throw threadNotFound(list.threadId);
      return jsonBytes(storage.deliveries.list(list.limit).map(wireDelivery));
    });
  }

  readHook(hook: HookAddress): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#parts.ready(hook);
      return jsonBytes(await this.#open(hook));
    });
  }

  answerHook(
    hook: HookAddress,
    runId: string,
    value: unknown,
    idempotency?: Idempotency,
  ): Promise<Reply<null>> {
    const { admission, ready } = this.#parts;
    return replying(async () => {
      await ready(hook);
      const keyed = idempotency && { ...idempotency, caller: answererOf(hook.nonce) };
      const call = { runId, ...(keyed && { idempotency: keyed }) };
      const isKnown = async (): Promise<boolean> => (await admission.startedBy(call)) !== undefined;
      // The reply to an earlier call was lost.
      if (await isKnown()) return null;
      await this.#open(hook);
      const start = { ...this.#startOf(hook, value), ...call };
      let admitted: string | undefined;
      try {
        await admission.admit(start, (id) => {
          if (id === runId) this.#requireTurn(hook, runId);
          admitted = id;
        });
      } catch (error) {
        const isLate = error instanceof RefusedError && error.code !== "thread_busy";
        throw isLate ? this.#late(hook) : error;
      }
      if (admitted !== runId && !(await isKnown())) throw this.#late(hook);
      return null;
    });
  }

  async #open(hook: HookAddress): Promise<unknown> {
    const { storage, states } = this.#parts;
    if (storage.thread() === undefined) throw hookRevoked();
    const { checkpointId, interrupts } = await states.standing(hook.threadId);
    const question = interrupts.find(({ id }) => id === hook.interruptId);
    if (question === undefined || checkpointId !== hook.checkpointId || this.#isUsed(hook))
      throw this.#late(hook);
    return question.value;
  }

  /** In the transaction that takes the run in: what was accepted must be what the run will find. */
  #requireTurn(hook: HookAddress, runId: string): void {
    const { queue, storage } = this.#parts;
    const { saver, answers } = storage;
    // Answers to other questions of the same superstep leave this one open: it ends when all of them are answered.
    const isBeside = (id: string): boolean => {
      const given = answers.ofRun(id);
      return given.length > 0 && given.every((answer) => isOfAnother(answer, hook));
    };
    const isUncertain =
      queue.lock.isEdited() || storage.queue.all().some((id) => id !== runId && !isBeside(id));
    if (isUncertain) throw hookBusy();
    if (saver.head(hook.threadId)?.id !== hook.checkpointId) throw this.#late(hook);
  }

  #startOf(hook: HookAddress, value: unknown): Omit<StartRun, "runId"> {
    const { tenant, threadId, interruptId, checkpointId, nonce } = hook;
    const continues = this.#parts.storage.deliveries.get(nonce)?.run;
    return {
      tenant,
      threadId,
      request: {
        input: { kind: "answers", answers: [[interruptId, value]] },
        config: {},
        ifMatch: checkpointId,
        answeredBy: answererOf(nonce),
        onInterrupted: "refuse",
        modes: [],
      },
      isAcknowledged: true,
      ...(continues !== undefined && { continues }),
    };
  }

  #late(hook: HookAddress): RefusedError {
    return this.#isUsed(hook) ? hookUsed() : hookRevoked();
  }

  #isUsed({ interruptId, nonce }: HookAddress): boolean {
    const { storage } = this.#parts;
    if (storage.thread() === undefined) return false;
    return storage.answers.of(interruptId).some(({ answeredBy }) => answeredBy === answererOf(nonce));
  }
}

/** The link, in the record of answers. */
function answererOf(nonce: string): string {
  return `hook:${nonce}`;
}

function isOfAnother({ checkpointId, interruptId }: AnswerRecord, hook: HookAddress): boolean {
  return checkpointId === hook.checkpointId && interruptId !== hook.interruptId;
}
