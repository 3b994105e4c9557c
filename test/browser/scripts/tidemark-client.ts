import { TidemarkClient } from "tidemark/client";

const said: string[] = [];

/** Sends "slow" to the graph "chat", notes the words of the answer as they come, and says how many nodes are still to run. */
async function chat(url: string): Promise<number> {
  const thread = new TidemarkClient({ url }).thread(crypto.randomUUID());
  const input = { messages: [{ type: "human", content: "slow" }] };
  for await (const event of thread.stream({ graph: "chat", input, stream_mode: "messages" })) {
    // Another attempt says it all again.
    if (event.event === "metadata") said.length = 0;
    if (event.event !== "messages") continue;
    const [{ type, content }] = event.data as [{ type: string; content: string }];
    if (type !== "human") said.push(content.trim());
  }
  return (await thread.state()).next.length;
}

Object.assign(globalThis, { said, chat });
