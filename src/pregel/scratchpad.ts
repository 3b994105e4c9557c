import { adopt } from "../values/adopt.ts";
import { GraphInterrupt } from "../interrupt-error.ts";
import type { Environment } from "./environment.ts";
import { expiryOf, type Expiry } from "./expiry.ts";
import { InvalidResumeError } from "./resume-error.ts";
import { shownQuestions, type Answers, type Question, type Wait } from "./question.ts";
import { acceptAnswer, publicSchema, type Acceptance, type ResponseSchema } from "./response-schema.ts";
import { isSameContent } from "./stable-text.ts";
import { interruptId } from "./task-id.ts";
import type { InterruptOptions } from "./types.ts";
import { acceptWaited, overdue } from "./waited.ts";

export interface ScratchpadInput {
  readonly taskId: string;
  /** What the task's earlier questions were answered with, in the order in which it asks. */
  readonly answered: readonly unknown[];
  /** The questions the task stands at, as stored: their ids count even when another engine made them. */
  readonly pending: readonly Question[];
  /** All answers given at this checkpoint, and around it. */
  readonly answers: Answers;
  readonly environment: Pick<Environment, "now">;
}

/** A question, or a wait: then nobody is asked, and `value` says what the node has called for. */
export interface Asked {
  readonly value: unknown;
  readonly schema?: ResponseSchema | undefined;
  readonly wait?: Wait;
  readonly expiry?: Expiry | undefined;
}

/**
 * The questions of one task attempt. A node that is run again asks the same questions in the same order; those that have
 * an answer return it, and one without leaves the node, or the branch of it that asks.
 */
export class Scratchpad {
  readonly #input: ScratchpadInput;
  readonly #answered: unknown[];
  #asked = 0;
  #returned = 0;
  /** What stays open after this attempt: the task's own questions, and those of what it called. */
  readonly open: Question[] = [];
  /** Ids of questions that a graph which the task has called knows as its own. */
  #others: Set<string> | undefined;

  constructor(input: ScratchpadInput) {
    this.#input = input;
    this.#answered = [...input.answered];
  }

  askQuestion(value: unknown, options: InterruptOptions = {}): unknown {
    const expiry = expiryOf(options, this.#input.environment);
    return this.ask({ value, schema: options.responseSchema, expiry });
  }

  ask(asked: Asked): unknown {
    const ordinal = this.#asked++;
    if (ordinal < this.#answered.length) {
      this.#returned = Math.max(this.#returned, ordinal + 1);
      return this.#answered[ordinal];
    }
    const { question, refused } = this.#questionOf(asked, ordinal);
    const answer = this.#answerTo(question, refused, asked.schema);
    if (answer === undefined) {
      this.open.push(refused === 0 ? question : { ...question, refused });
      throw new GraphInterrupt(shownQuestions([question]));
    }
    if (!answer.ok) {
      const reopened = { ...question, refused: refused + 1 };
      this.open.push(reopened);
      throw new InvalidResumeError(reopened, answer.issues);
    }
    // The list has no gaps: an answer after one that is missing is found among all answers again.
    if (ordinal === this.#answered.length) this.#answered.push(answer.value);
    this.#returned = Math.max(this.#returned, ordinal + 1);
    return answer.value;
  }

  /** Times that were fixed when it was asked first stay. */
  #questionOf(
    { value, schema, wait, expiry }: Asked,
    ordinal: number,
  ): { question: Question; refused: number } {
    const stored = this.#storedFor(ordinal, value);
    const question = {
      id: stored?.id ?? interruptId(this.#input.taskId, ordinal),
      value: adopt(value),
      ...publicSchema(schema),
      ...(wait === undefined ? {} : { wait: stored?.wait?.kind === wait.kind ? stored.wait : wait }),
      ...(expiry === undefined ? {} : { ...expiry, expires_at: stored?.expires_at ?? expiry.expires_at }),
    };
    return { question, refused: stored?.refused ?? 0 };
  }

  /** Undefined as long as there is none. */
  #answerTo({ id, wait }: Question, refused: number, schema?: ResponseSchema): Acceptance | undefined {
    const { answers, environment } = this.#input;
    if (answers.has(id, refused)) {
      const answer = answers.get(id, refused);
      return wait === undefined ? acceptAnswer(schema, answer) : acceptWaited(wait, schema, answer);
    }
    return wait && overdue(wait, environment.now());
  }

  /** Up to which of its questions, counted from 1, the attempt has got answers. */
  get returned(): number {
    return this.#returned;
  }

  /** These questions are not the task's own, whoever stored them. */
  disown(ids: Iterable<string>): void {
    this.#others ??= new Set();
    for (const id of ids) this.#others.add(id);
  }

  /** The answers the attempt has used: they stay with the task, those to later questions do not. */
  used(): readonly unknown[] {
    return this.#answered.slice(0, this.#asked);
  }

  /** The question as it was asked before; undefined when it was another one, before an edit of the state. */
  #storedFor(ordinal: number, value: unknown): Question | undefined {
    const stored = this.#storedAt(ordinal);
    return stored?.carried && !isSameContent(stored.value, value) ? undefined : stored;
  }

  /** The stored question at this place: by its id, or, when another engine made the id, by its place in the list. */
  #storedAt(ordinal: number): Question | undefined {
    const { taskId, answered } = this.#input;
    const pending = this.#input.pending.filter(({ id, ns }) => ns === undefined && !this.#others?.has(id));
    if (pending.length === 0) return undefined;
    const own = interruptId(taskId, ordinal);
    const known = pending.find((question) => question.id === own);
    if (known !== undefined) return known;
    const foreign = pending[ordinal - answered.length];
    return foreign === undefined || this.#isOwn(foreign.id) ? undefined : foreign;
  }

  /** Whether the id is one that this task makes, for another of its questions. */
  #isOwn(id: string): boolean {
    const count = this.#input.answered.length + this.#input.pending.length;
    for (let ordinal = 0; ordinal < count; ordinal++) {
      if (interruptId(this.#input.taskId, ordinal) === id) return true;
    }
    return false;
  }
}
