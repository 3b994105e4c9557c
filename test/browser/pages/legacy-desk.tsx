import { Client } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";

interface Desk extends Record<string, unknown> {
  readonly topic?: string;
  readonly notes?: readonly string[];
}

const query = new URLSearchParams(location.search);
const apiUrl = query.get("api") ?? "";
const heard: unknown[] = [];
const shown: Desk[] = [];

function hears(name: string): (...said: readonly unknown[]) => void {
  return (...said) => void heard.push([name, ...said]);
}

/** The hook, which the test leads as `stream`: it notes what is `shown`, and what callbacks have `heard`. */
function Desk() {
  const [threadId, setThreadId] = useState(query.get("thread"));
  const stream = useStream<Desk, { InterruptType: string }>({
    apiUrl,
    assistantId: "desk",
    threadId,
    onThreadId(id) {
      query.set("thread", id);
      history.replaceState(null, "", `?${query.toString()}`);
      setThreadId(id);
    },
    fetchStateHistory: query.get("history") !== "none" && { limit: Number(query.get("history") ?? 10) },
    onCreated: hears("created"),
    onUpdateEvent: (data, { namespace }) => hears("update")(data, namespace),
    onCustomEvent: (data, { namespace }) => hears("custom")(data, namespace),
    onFinish: ({ values }) => hears("finish")(values),
  });
  return <Led stream={stream} values={stream.values} />;
}

/** The same of a page that fetches its events itself. */
function OwnTransport() {
  const { runs } = new Client({ apiUrl, apiKey: null });
  const stream = useStream<Desk, { InterruptType: string }>({
    transport: {
      stream: async ({ input, command, signal }) =>
        runs.stream(null, "desk", { input: input ?? null, ...(command && { command }), signal }),
    },
  });
  return <Led stream={stream} values={stream.values} />;
}

function Led({
  stream,
  values,
}: {
  readonly stream: { readonly isLoading: boolean };
  readonly values: Desk;
}) {
  Object.assign(globalThis, { stream, heard, shown });
  shown.push(values);
  return <output id="state">{stream.isLoading ? "loading" : "idle"}</output>;
}

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(query.has("transport") ? <OwnTransport /> : <Desk />);
