import { adopt } from "../adopt.ts";
import { GraphInterrupt } from "../errors.ts";
import { InvalidResumeError } from "./resume-error.ts";
import type { Answers, Question } from "./question.ts";
import { acceptAnswer, publicSchema, type ResponseSchema } from "./response-schema.ts";
import { isSameContent } from "./stable-text.ts";
import { interruptId } from "./task-id.ts";

export interface ScratchpadInput {
  readonly taskId: string;
  /** What the task's earlier questions were answered with, in the order in which it asks. */
  readonly answered: readonly unknown[];
  /** The questions the task stands at, as stored: their ids count even when another engine made them. */
  readonly pending: readonly Question[];
  /** All answers given at this checkpoint, and around it. */
  readonly answers: Answers;
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

  ask(value: unknown, schema?: ResponseSchema): unknown {
    const ordinal = this.#asked++;
    if (ordinal < this.#answered.length) {
      this.#returned = Math.max(this.#returned, ordinal + 1);
      return this.#answered[ordinal];
    }
    const stored = this.#storedFor(ordinal, value);
    const id = stored?.id ?? interruptId(this.#input.taskId, ordinal);
    const refused = stored?.refused ?? 0;
    const question = { id, value: adopt(value), ...publicSchema(schema) };
    if (!this.#input.answers.has(id, refused)) {
      this.open.push(refused === 0 ? question : { ...question, refused });
      throw new GraphInterrupt([question]);
    }
    const answer = acceptAnswer(schema, this.#input.answers.get(id, refused));
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
