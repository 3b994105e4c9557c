import { json, request, TestThread } from "../../support/threads.ts";
import { announcing, deploy, retain } from "../graphs.ts";
import { codeOf, insist, post } from "./client.ts";
import { asking, input, working } from "./graphs.ts";
import { type Scenario, settled } from "./scenario.ts";

const JSON_BODY = { "content-type": "application/json" };

/** What the directory knows of a thread. */
async function found(thread: TestThread): Promise<unknown> {
  const query = { metadata: { scenario: thread.id } };
  const init = { method: "POST", headers: JSON_BODY, body: JSON.stringify(query) };
  const threads = (await json(request("/threads/search", init))) as readonly { status: string }[];
  return threads.map(({ status }) => status);
}

/** What becomes of whole threads. */
export const THREADS: readonly Scenario[] = [
  {
    name: "a copy, and the deletion of what was copied",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      const source = new TestThread();
      await source.invoke(input);
      const copy = { thread_id: thread.id };
      await json(source.post("/copy", copy)).catch(() => undefined);
      // One that was broken off leaves nothing; one whose answer was lost has made the thread.
      const again = await codeOf(insist(() => json(source.post("/copy", copy))));
      const { values } = await insist(() => thread.state());
      await insist(() => thread.delete()).catch(() => undefined);
      await settled(thread);
      return [again === null || again === "thread_exists", values["log"], await codeOf(thread.state())];
    },
  },
  {
    name: "a thread that the directory knows, and then forgets",
    play: async (thread, effects) => {
      deploy({ asking: asking(effects) });
      announcing.isOn = true;
      try {
        const create = { thread_id: thread.id, if_exists: "do_nothing", metadata: { scenario: thread.id } };
        const init = { method: "POST", body: JSON.stringify(create), headers: JSON_BODY };
        await insist(() => json(request("/threads", init)));
        await insist(() => thread.invoke(input));
        await settled(thread);
        const paused = await found(thread);
        await insist(() => thread.delete()).catch(() => undefined);
        await settled(thread);
        return [paused, await found(thread), await codeOf(thread.state())];
      } finally {
        announcing.isOn = false;
      }
    },
  },
  {
    name: "checkpoints that have been kept for long enough",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      retain({ keepLast: 2 });
      try {
        await post(thread, "/runs", input);
        await settled(thread);
        return (await thread.objects()).length;
      } finally {
        retain({});
      }
    },
  },
  {
    name: "a thread that has been kept for long enough",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      retain({ deleteAfter: 1 });
      try {
        await post(thread, "/runs", input);
        await settled(thread);
        return [await codeOf(thread.state()), await thread.objects()];
      } finally {
        retain({});
      }
    },
  },
];
