import { useStream } from "@langchain/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";

interface Message {
  readonly id?: string;
  readonly type: string;
  readonly content: unknown;
}

/** A chat over the thread protocol; the thread stands in the address, so a reload keeps it. */
function Chat({ apiUrl, transport }: { readonly apiUrl: string; readonly transport: "sse" | "websocket" }) {
  const [threadId, setThreadId] = useState(queried("thread"));
  const [text, setText] = useState("");
  const thread = useStream<{ messages: Message[] }>({
    apiUrl,
    assistantId: "chat",
    threadId,
    transport,
    onThreadId(id: string) {
      const query = new URLSearchParams({ api: apiUrl, transport, thread: id });
      history.replaceState(null, "", `?${query.toString()}`);
      setThreadId(id);
    },
  });

  return (
    <main>
      <ol>
        {thread.messages.map((message, index) => (
          <li key={message.id ?? index} data-type={message.type}>
            <span>{message.text}</span>
          </li>
        ))}
      </ol>
      <output id="state">{thread.isLoading ? "loading" : "idle"}</output>
      <output id="error">{thread.error === undefined ? "" : JSON.stringify(thread.error)}</output>
      {thread.interrupt && (
        <p>
          <span id="question">{String(thread.interrupt.value)}</span>
          <button onClick={() => void thread.respond(text, { interruptId: thread.interrupt?.id ?? "" })}>
            answer
          </button>
        </p>
      )}
      <input value={text} onChange={({ target }) => setText(target.value)} />
      <button onClick={() => void thread.submit({ messages: [{ type: "human", content: text }] })}>
        send
      </button>
      <button onClick={() => void thread.stop()}>stop</button>
    </main>
  );
}

function queried(name: string): string | null {
  return new URLSearchParams(location.search).get(name);
}

const root = document.getElementById("root");
const transport = queried("transport") === "websocket" ? "websocket" : "sse";
if (root !== null) createRoot(root).render(<Chat apiUrl={queried("api") ?? ""} transport={transport} />);
