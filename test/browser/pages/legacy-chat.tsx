import type { Message } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";
import { useRef, useState } from "react";
import { createRoot } from "react-dom/client";

/** A chat with the graph "chat" of the server that the query names; the thread stands in the address, so a reload keeps it. */
function Chat({ apiUrl }: { readonly apiUrl: string }) {
  const [threadId, setThreadId] = useState(queried("thread"));
  const [text, setText] = useState("");
  const thread = useStream<{ messages: Message[] }, { InterruptType: string }>({
    apiUrl,
    assistantId: "chat",
    threadId,
    onThreadId(id) {
      history.replaceState(null, "", `?${new URLSearchParams({ api: apiUrl, thread: id }).toString()}`);
      setThreadId(id);
    },
    reconnectOnMount: true,
    fetchStateHistory: true,
  });
  const seen = useRef(new Set<string>());
  const last = thread.messages.at(-1);
  if (last?.type === "ai") seen.current.add(textOf(last));

  return (
    <main>
      <ol>
        {thread.messages.map((message, index) => {
          const metadata = thread.getMessagesMetadata(message, index);
          return (
            <li key={message.id ?? index} data-type={message.type}>
              <span>{textOf(message)}</span>
              {message.type === "human" && (
                <button
                  onClick={() =>
                    void thread.submit(
                      { messages: ask(text) },
                      { checkpoint: metadata?.firstSeenState?.parent_checkpoint ?? null },
                    )
                  }
                >
                  edit
                </button>
              )}
              {metadata?.branchOptions?.map((branch) => (
                <button key={branch} className="branch" onClick={() => thread.setBranch(branch)}>
                  {branch}
                </button>
              ))}
            </li>
          );
        })}
      </ol>
      <output id="state">{thread.isLoading ? "loading" : "idle"}</output>
      <output id="seen">{JSON.stringify([...seen.current])}</output>
      <output id="error">
        {thread.error instanceof Error ? thread.error.message : JSON.stringify(thread.error)}
      </output>
      {thread.interrupt && (
        <p>
          <span id="question">{thread.interrupt.value}</span>
          <button onClick={() => void thread.submit(undefined, { command: { resume: text } })}>answer</button>
        </p>
      )}
      <input value={text} onChange={({ target }) => setText(target.value)} />
      <button onClick={() => void thread.submit({ messages: ask(text) })}>send</button>
      <button onClick={() => void thread.stop()}>stop</button>
    </main>
  );
}

function ask(content: string): Message[] {
  return [{ type: "human", content }];
}

function textOf({ content }: Message): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

function queried(name: string): string | null {
  return new URLSearchParams(location.search).get(name);
}

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<Chat apiUrl={queried("api") ?? ""} />);
