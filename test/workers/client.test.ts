import { expect, it } from "vitest";
import { TidemarkClient } from "../../src/client/index.ts";
import { gated } from "../support/gated.ts";
import { request, TestThread } from "../support/threads.ts";
import { deploy } from "./graphs.ts";

it("tidemark/client runs in a Worker, and hears all of a run whose object is stopped", async () => {
  const { gate, graph } = gated();
  deploy({ graph });
  const test = new TestThread();
  const client = new TidemarkClient<typeof graph>({
    url: "http://localhost",
    fetch: (input, init) => request(new URL(new Request(input).url).pathname, init),
  });
  const thread = client.thread(test.id);
  const heard: unknown[] = [];
  const following = (async () => {
    for await (const { event, data } of thread.stream({ input: { log: ["in"] } })) {
      // Another attempt says it all again.
      if (event === "metadata") heard.length = 0;
      if (event === "values") heard.push(data);
    }
  })();
  await gate.reached();
  await test.crash();
  gate.open();
  await following;
  expect(heard).toEqual([{ log: ["in"] }, { log: ["in", "n"] }]);
  expect((await thread.state()).values.log).toEqual(["in", "n"]);
});
