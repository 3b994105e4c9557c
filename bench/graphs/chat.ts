import type { Library, Saver } from "./library.ts";

/** In bytes: what the user says and what comes back, half each. */
export const TURN_SIZE = 600;

type Append = (left: string[], right: string[]) => string[];

/** The reducer of the chat. */
export const append: Append = (left, right) => left.concat(right);

/** Makes the definition of a channel from its reducer. */
export type AppendingChannel = (library: Library, reducer: Append) => unknown;

const plain: AppendingChannel = (library, reducer) =>
  library.Annotation<string[]>({ reducer, default: () => [] });

/** A chat that keeps all that was said: one node answers, a turn is three checkpoints. */
export function chatGraph(library: Library, saver?: Saver, channel: AppendingChannel = plain) {
  const { Annotation, END, START, StateGraph } = library;
  const State = Annotation.Root({
    messages: channel(library, append) as ReturnType<typeof Annotation<string[]>>,
  });
  return new StateGraph(State)
    .addNode("answer", ({ messages }) => ({ messages: [text("answer", messages.length)] }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile(saver === undefined ? {} : { checkpointer: saver });
}

/** The same chat without a reducer: the node returns all that was said, with its answer. */
export function wholeChatGraph({ Annotation, END, START, StateGraph }: Library) {
  const State = Annotation.Root({ messages: Annotation<string[]>(), question: Annotation<string>() });
  return new StateGraph(State)
    .addNode("answer", ({ messages, question }) => ({
      messages: [...messages, question, text("answer", messages.length)],
    }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile();
}

export function chatInput(turn: number) {
  return { messages: [text("question", turn)] };
}

export function wholeChatInput(turn: number) {
  return { ...(turn === 0 && { messages: [] }), question: text("question", turn) };
}

/** All that was said in so many turns. */
export function chatMessages(turns: number): string[] {
  return Array.from({ length: turns }, (_, turn) => [
    text("question", turn),
    text("answer", 2 * turn + 1),
  ]).flat();
}

function text(what: string, number: number): string {
  return `${what} ${number} `.padEnd(TURN_SIZE / 2, "lorem ipsum ");
}
