import { isObject } from "../values/containers.ts";
import type { Interrupt } from "../interrupt-error.ts";
import { InvalidResumeError } from "./resume-error.ts";

/** What a task waits for without asking anybody. Times are ISO 8601 in UTC. */
export type Wait =
  | { readonly kind: "sleep"; readonly until: string }
  /** Without `until` it waits for as long as it takes. */
  | { readonly kind: "event"; readonly key: string; readonly until?: string };

/** A wait as callers see it: like a question it is answered by its id. */
export type Waiting = Wait & { readonly id: string };

/** A question as a task keeps it. */
export interface Question extends Interrupt {
  /** Present when nobody is asked. */
  readonly wait?: Wait;
  /**
   * Present when it was not the task itself that asks, but what it called: the namespace of the graph whose task does.
   */
  readonly ns?: string;
  /** How many answers it has refused. */
  readonly refused?: number;
  /** The state was edited since: an answer counts only when the task asks the same again. */
  readonly carried?: true;
}

/** The questions as callers see them: without what is only waited for. */
export function shownQuestions(questions: readonly Question[]): readonly Interrupt[] {
  return questions.filter(({ wait }) => wait === undefined).map(shown);
}

/** What is waited for, as callers see it. */
export function shownWaits(questions: readonly Question[]): readonly Waiting[] {
  return questions.flatMap(({ id, wait }) => (wait === undefined ? [] : [{ id, ...wait }]));
}

function shown(question: Question): Interrupt {
  const { id, value, response_schema, expires_at } = question;
  return {
    id,
    value,
    ...(response_schema === undefined ? {} : { response_schema }),
    ...(expires_at === undefined ? {} : { expires_at, default: question.default }),
  };
}

export function isQuestion(value: unknown): value is Question {
  return isObject(value) && "id" in value && typeof value.id === "string" && "value" in value;
}

/** The questions without those that come again, in their order. */
export function distinct(questions: readonly Question[]): readonly Question[] {
  if (questions.length < 2) return questions;
  return [...new Map(questions.map((question) => [question.id, question])).values()];
}

/** The questions whose answer was refused, when that is what the error (or one of several) says. */
export function refusedQuestions(error: unknown): readonly Question[] {
  if (error instanceof InvalidResumeError) return [error.question];
  return error instanceof AggregateError ? error.errors.flatMap(refusedQuestions) : [];
}

/** Answers by the question's id; when a question has refused one, the next that is given to it counts. */
export class Answers {
  /** Not private: the enclosing ones may be of another copy of this class. */
  readonly given = new Map<string, unknown[]>();
  readonly turns: Map<string, number>;

  constructor(enclosing?: Answers) {
    this.turns = new Map(enclosing?.turns);
    if (enclosing !== undefined) for (const [id, values] of enclosing.given) this.given.set(id, [...values]);
  }

  /** When the question was answered: the answers that were given together have one number. */
  turnOf(id: string): number | undefined {
    return this.turns.get(id);
  }

  add(id: string, value: unknown, turn: number): void {
    if (!this.turns.has(id)) this.turns.set(id, turn);
    const known = this.given.get(id);
    if (known === undefined) this.given.set(id, [value]);
    else known.push(value);
  }

  has(id: string, refused = 0): boolean {
    return (this.given.get(id)?.length ?? 0) > refused;
  }

  get(id: string, refused = 0): unknown {
    return this.given.get(id)?.[refused];
  }

  /** The last answer to each question. */
  latest(): [id: string, value: unknown][] {
    return Array.from(this.given, ([id, values]) => [id, values.at(-1)]);
  }
}
