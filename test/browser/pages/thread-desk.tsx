import { useChannel, useStream, useSubmissionQueue, useValues } from "@langchain/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";

interface Desk extends Record<string, unknown> {
  readonly topic?: string;
  readonly notes?: readonly string[];
}

const query = new URLSearchParams(location.search);
const apiUrl = query.get("api") ?? "";
/** How many have waited for their turn, each time the page was drawn. */
const waiting: number[] = [];

/** The hook, which the test leads as `stream`, and what others tell of it: its queue, the graph inside, and what nodes say. */
function Desk({ transport }: { readonly transport: "sse" | "websocket" }) {
  const [threadId, setThreadId] = useState(query.get("thread"));
  const stream = useStream<Desk, string>({
    apiUrl,
    assistantId: "desk",
    threadId,
    transport,
    onThreadId(id: string) {
      query.set("thread", id);
      history.replaceState(null, "", `?${query.toString()}`);
      setThreadId(id);
    },
  });
  const queue = useSubmissionQueue(stream);
  const [research] = stream.subgraphsByNode.get("research") ?? [];
  const inside = useValues<Desk>(stream, research ?? { namespace: ["research"] });
  const said = useChannel(stream, ["custom"], { namespace: ["research"] });
  waiting.push(queue.size);
  Object.assign(globalThis, { stream, waiting, research, inside, said });
  return <output id="state">{stream.isLoading ? "loading" : "idle"}</output>;
}

const root = document.getElementById("root");
const transport = query.get("transport") === "websocket" ? "websocket" : "sse";
if (root !== null) createRoot(root).render(<Desk transport={transport} />);
