/** A question with the types of what it asks and of what answers it: `interrupt<Question, Answer>`. */
type Question<Value, Answer> = (value: Value, ...options: never[]) => Answer;
type Questions = Readonly<Record<string, Question<never, unknown>>>;

/** What is asked, by a question or by any of a record of questions. */
export type InferInterruptInputType<Asking> =
  Asking extends Question<infer Value, unknown>
    ? Value
    : Asking extends Questions
      ? { [Name in keyof Asking]: InferInterruptInputType<Asking[Name]> }[keyof Asking]
      : unknown;

/** What answers it. */
export type InferInterruptResumeType<Asking> =
  Asking extends Question<never, infer Answer>
    ? Answer
    : Asking extends Questions
      ? { [Name in keyof Asking]: InferInterruptResumeType<Asking[Name]> }[keyof Asking]
      : unknown;
