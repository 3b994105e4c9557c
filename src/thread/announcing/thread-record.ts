import { mintedAt } from "../../checkpoint/id.ts";
import type { PendingQuestion, ThreadEntry, ThreadStatus } from "../../directory/protocol.ts";
import { DRAFT } from "../../draft-version.ts";
import type { Interrupt } from "../../interrupt-error.ts";
import { type Json, plainJson } from "../../json.ts";
import type { StateSnapshot } from "../../pregel/types.ts";
import { threadNotFound } from "../errors.ts";
import { extractOf } from "./extract.ts";
import type { LastRun } from "../runs/run-row.ts";
import type { StateReader } from "../state/state-reader.ts";
import type { NewThread, ThreadRow } from "../thread-rows.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** More of them are not listed. */
const MAX_QUESTIONS = 50;
/** Of a question's text, in characters; a longer one is cut off. */
const MAX_QUESTION = 1000;

/** What the thread is, at one moment. */
interface Facts {
  readonly thread: ThreadRow;
  readonly head: StateSnapshot | undefined;
  /** What is asked, by the task that asks, or the run where none does. */
  readonly questions: readonly (readonly [by: string, interrupts: readonly Interrupt[]])[];
  readonly status: ThreadStatus;
  readonly stateUpdatedAt: number;
  readonly updatedAt: number;
}

/** Says of a thread what LangGraph's platform does: its status follows from its runs and its newest checkpoint. */
export class ThreadRecord {
  readonly #storage: ThreadStorage;
  readonly #states: StateReader;

  constructor(storage: ThreadStorage, states: StateReader) {
    this.#storage = storage;
    this.#states = states;
  }

  /** As the platform's `Thread`. */
  async view(threadId: string): Promise<object> {
    const { thread, head, questions, status, stateUpdatedAt, updatedAt } = await this.#facts(threadId);
    return {
      thread_id: threadId,
      created_at: new Date(thread.created_at),
      updated_at: new Date(updatedAt),
      state_updated_at: new Date(stateUpdatedAt),
      metadata: thread.metadata,
      status,
      config: {},
      values: head?.values ?? null,
      interrupts: Object.fromEntries(questions),
    };
  }

  /**
   * What the directory is told. `paths` lead to what is extracted of the values. It keeps what it is told as it is: where
   * values are encrypted, it is told of none.
   */
  async entry(threadId: string, paths: readonly string[]): Promise<ThreadEntry> {
    const isSecret = this.#storage.serde.fingerprint !== undefined;
    const keys = isSecret ? [] : paths.map((path) => path.split(".", 1).join());
    const { thread, head, questions, status, stateUpdatedAt, updatedAt } = await this.#facts(threadId, keys);
    return {
      threadId,
      version: thread.version,
      status,
      createdAt: thread.created_at,
      updatedAt,
      stateUpdatedAt,
      metadata: thread.metadata,
      extract: isSecret ? {} : extractOf(head?.values, paths),
      questions: questionsOf(questions, stateUpdatedAt, isSecret),
    };
  }

  /** What the directory is told of a thread that is about to be made: older than all that the thread says itself. */
  static draft({ thread_id: threadId, created_at: createdAt, metadata }: NewThread): ThreadEntry {
    return {
      threadId,
      version: DRAFT,
      status: "idle",
      createdAt,
      updatedAt: createdAt,
      stateUpdatedAt: createdAt,
      metadata,
      extract: {},
      questions: [],
    };
  }

  /** Where `keys` are given, nobody looks at the values of others. */
  async #facts(threadId: string, keys?: readonly string[]): Promise<Facts> {
    const thread = this.#storage.thread();
    if (thread === undefined) throw threadNotFound(threadId);
    const head = await this.#states.head(threadId, keys);
    const headId = head?.config.configurable?.checkpoint_id;
    const stateUpdatedAt = (headId === undefined ? undefined : mintedAt(headId)) ?? thread.created_at;
    const last = this.#storage.runs.last();
    const updatedAt = Math.max(thread.updated_at ?? thread.created_at, stateUpdatedAt, last?.usedAt ?? 0);
    const own = await this.#states.own(threadId);
    const questions = [
      ...(head?.tasks.map(({ id, interrupts }) => [id, interrupts] as const) ?? []),
      [this.#storage.limitQuestion.get()?.runId ?? "", own] as const,
    ].filter(([, interrupts]) => interrupts.length > 0);
    return {
      thread,
      head,
      questions,
      status: this.#status(last, head, stateUpdatedAt),
      stateUpdatedAt,
      updatedAt,
    };
  }

  #status(last: LastRun | undefined, head: StateSnapshot | undefined, stateUpdatedAt: number): ThreadStatus {
    const { queue, timers } = this.#storage;
    if (queue.first() !== undefined || timers.has("run_start")) return "busy";
    // An edit after it has repaired what failed.
    if (last?.status === "error" && last.usedAt >= stateUpdatedAt) return "error";
    return (head?.next.length ?? 0) > 0 ? "interrupted" : "idle";
  }
}

function questionsOf(
  questions: Facts["questions"],
  askedAt: number,
  isSecret: boolean,
): readonly PendingQuestion[] {
  return questions
    .flatMap(([, interrupts]) => interrupts)
    .slice(0, MAX_QUESTIONS)
    .map(({ id, value }) => ({
      interruptId: id,
      value: isSecret ? null : shortened(plainJson(value)),
      askedAt,
    }));
}

function shortened(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length > MAX_QUESTION ? `${text.slice(0, MAX_QUESTION)}…` : value;
}
