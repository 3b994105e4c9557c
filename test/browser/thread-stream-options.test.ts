import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ChatPages, isIdle, threadOf } from "./support/chat-pages.ts";
import { noBrowser } from "./support/chromium.ts";

interface Question {
  readonly id: string;
  readonly value: string;
}

const notes = (page: Page): Promise<unknown> => page.evaluate("stream.values.notes");
const questions = (page: Page): Promise<readonly Question[]> => page.evaluate("stream.interrupts");

describe.skipIf(noBrowser !== "")(`what useStream of @langchain/react can do${noBrowser}`, () => {
  let chat: ChatPages;

  beforeAll(async () => {
    chat = await ChatPages.open("pages/thread-desk.tsx");
  });
  afterEach(() => expect(chat.faults.splice(0)).toEqual([]));
  afterAll(() => chat?.dispose());

  /** Waits until the run has ended, and the page shows what came of it. */
  async function lead(page: Page, call: string): Promise<void> {
    await page.evaluate(call);
    await isIdle(page);
  }

  describe.each(["sse", "websocket"])("over %s", (transport) => {
    it("finds the graph inside a node, with its state and what its nodes say", async () => {
      const page = await chat.opened({ transport });
      await lead(page, `stream.submit({ topic: "tides" })`);
      await expect.poll(() => notes(page)).toEqual(["read of tides", "closed tides"]);
      // Over server-sent events the client opens a new stream for who comes later, and drops from it what an earlier one has brought: of a
      // graph that ends at once it may have no state.
      const state = transport === "websocket" ? ["read of tides"] : expect.any(Array);
      await expect
        .poll(() =>
          page.evaluate("[research?.status, inside?.notes, said.map(({ params }) => params.data.payload)]"),
        )
        .toEqual(["complete", state, [{ reading: "tides" }]]);
    });

    it("has all questions, also on another page, and answers them at once", async () => {
      const page = await chat.opened({ transport });
      await lead(page, `stream.submit({ topic: "tides?" })`);
      const another = await chat.opened({ transport, thread: threadOf(page) });
      for (const each of [page, another])
        await expect
          .poll(async () => (await questions(each)).map(({ value }) => value).toSorted())
          .toEqual(["When?", "Who?"]);
      const answers = Object.fromEntries(
        (await questions(another)).map(({ id, value }) => [id, `to ${value}`]),
      );
      await lead(another, `stream.respondAll(${JSON.stringify(answers)})`);
      const answered = ["read of tides?", "when: to When?", "who: to Who?", "closed tides?"];
      for (const each of [page, another]) await expect.poll(() => notes(each)).toEqual(answered);
      // The client that this hook comes with (1.11) does not know "input.answered": the other page goes on showing them.
      expect(await questions(another)).toEqual([]);
    });

    it("begins a branch at an older checkpoint", async () => {
      const page = await chat.opened({ transport });
      await lead(page, `stream.submit({ topic: "tides" })`);
      await expect.poll(() => notes(page)).toEqual(["read of tides", "closed tides"]);
      const [, , first] = (await chat.client.threads.getHistory(threadOf(page))).toReversed();
      expect(first?.values).toMatchObject({ notes: ["read of tides"] });
      const forkFrom = first?.checkpoint.checkpoint_id;
      await lead(page, `stream.submit({ topic: "wind" }, { forkFrom: "${forkFrom}" })`);
      await expect.poll(() => notes(page)).toEqual(["read of tides", "read of wind", "closed wind"]);
    });

    it("lets what is submitted meanwhile wait for its turn", async () => {
      const page = await chat.opened({ transport });
      const calls = ["tides", "wind", "rain"].map(
        (topic) => `stream.submit({ topic: "${topic}" }, { multitaskStrategy: "enqueue" })`,
      );
      await page.evaluate(`void Promise.all([${calls.join(", ")}])`);
      const [tides, wind, rain] = ["tides", "wind", "rain"].map((topic) => [
        `read of ${topic}`,
        `closed ${topic}`,
      ]);
      await expect.poll(() => notes(page)).toEqual([tides, wind, rain].flat());
      await isIdle(page);
      expect(await page.evaluate("[Math.max(...waiting), waiting.at(-1)]")).toEqual([2, 0]);
    });
  });
});
