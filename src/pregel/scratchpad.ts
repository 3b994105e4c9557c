import { adopt } from "../adopt.ts";
import { GraphInterrupt, type Interrupt } from "../errors.ts";
import { interruptId } from "./task-id.ts";

export interface ScratchpadInput {
  readonly taskId: string;
  /** What the task's earlier questions were answered with, in the order in which it asks. */
  readonly answered: readonly unknown[];
  /** The questions the task stands at, as stored: their ids count even when another engine made them. */
  readonly pending: readonly Interrupt[];
  /** All answers given at this checkpoint, by interrupt id. */
  readonly answers: ReadonlyMap<string, unknown>;
}

/**
 * The questions of one task attempt. A node that is run again asks the same questions in the same order; those that have
 * an answer return it, and the first one without leaves the node.
 */
export class Scratchpad {
  readonly #input: ScratchpadInput;
  readonly #answered: unknown[];
  #asked = 0;

  constructor(input: ScratchpadInput) {
    this.#input = input;
    this.#answered = [...input.answered];
  }

  ask(value: unknown): unknown {
    const ordinal = this.#asked++;
    if (ordinal < this.#answered.length) return this.#answered[ordinal];
    const id = this.#findAnswer(ordinal);
    if (id === undefined)
      throw new GraphInterrupt([{ id: interruptId(this.#input.taskId, ordinal), value: adopt(value) }]);
    const answer = this.#input.answers.get(id);
    this.#answered.push(answer);
    return answer;
  }

  /** The answers the attempt has used: they stay with the task, those to later questions do not. */
  used(): readonly unknown[] {
    return this.#answered.slice(0, this.#asked);
  }

  #findAnswer(ordinal: number): string | undefined {
    const { answers, pending, taskId, answered } = this.#input;
    if (answers.size === 0) return undefined;
    const own = interruptId(taskId, ordinal);
    if (answers.has(own)) return own;
    const stored = pending[ordinal - answered.length]?.id;
    return stored !== undefined && answers.has(stored) ? stored : undefined;
  }
}
