import { Annotation, END, interrupt, START, StateGraph } from "tidemark";
import { findOrder, type Order } from "./catalogue.ts";
import { wordReply } from "./wording.ts";

/** Above this many euros a person decides. */
const APPROVAL_LIMIT = 100;

const State = Annotation.Root({
  message: Annotation<string>(),
  topic: Annotation<"refund" | "other">(),
  order: Annotation<Order | null>(),
  approved: Annotation<boolean>(),
  refunded: Annotation<number>(),
  reply: Annotation<string>(),
});

type Support = typeof State.State;

function classify({ message }: Support): typeof State.Update {
  return { topic: /\brefund|money back|return\b/i.test(message) ? "refund" : "other" };
}

function lookUp({ message }: Support): typeof State.Update {
  const id = /\bA-\d{4}\b/.exec(message)?.[0];
  return { order: (id === undefined ? undefined : findOrder(id)) ?? null };
}

/** The run stops here until a person has answered, for days if it must be. */
function askPerson({ order }: Support): typeof State.Update {
  const answer = interrupt<unknown, { approved?: boolean } | null>({
    question: `Refund ${order?.amount} € for the ${order?.item} (${order?.id})?`,
    order,
  });
  return { approved: answer?.approved === true };
}

/** One question after the other: an answer is for the question that it names, and for no other. */
function askForEach({ order }: Support): typeof State.Update {
  const approved = (order?.parts ?? []).filter(({ item, amount }) => {
    const euros = amount.toLocaleString("en");
    return interrupt<string, { approved?: boolean } | null>(`Approve ${euros} € for the ${item}?`)?.approved;
  });
  return { refunded: approved.reduce((sum, { amount }) => sum + amount, 0) };
}

function approve(): typeof State.Update {
  return { approved: true };
}

function refund({ order, approved }: Support): typeof State.Update {
  return { refunded: approved && order !== null ? order.amount : 0 };
}

async function reply(state: Support): Promise<typeof State.Update> {
  return { reply: await wordReply(replyFacts(state)) };
}

function replyFacts({ topic, order, refunded }: Support): string {
  if (topic !== "refund") return "I can help with refunds. Which order is it about?";
  if (!order) return "I could not find that order. Please send its number, like A-1001.";
  if (refunded === 0) return `Your refund for the ${order.item} was not approved.`;
  return `We have refunded ${refunded} € for the ${order.item}.`;
}

/** A refund desk: small amounts are paid at once, a person decides on large ones. */
export const support = new StateGraph(State)
  .addNode("classify", classify)
  .addNode("look_up", lookUp)
  .addNode("ask_person", askPerson)
  .addNode("ask_for_each", askForEach)
  .addNode("approve", approve)
  .addNode("refund", refund)
  .addNode("write_reply", reply)
  .addEdge(START, "classify")
  .addConditionalEdges("classify", ({ topic }) => (topic === "refund" ? "look_up" : "write_reply"), [
    "look_up",
    "write_reply",
  ])
  .addConditionalEdges("look_up", routeOrder, ["ask_person", "ask_for_each", "approve", "write_reply"])
  .addEdge("ask_person", "refund")
  .addEdge("approve", "refund")
  .addEdge("ask_for_each", "write_reply")
  .addEdge("refund", "write_reply")
  .addEdge("write_reply", END)
  .compile();

function routeOrder({ order }: Support): string {
  if (!order) return "write_reply";
  if (order.parts !== undefined) return "ask_for_each";
  return order.amount > APPROVAL_LIMIT ? "ask_person" : "approve";
}
