import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ChatPages, isIdle, threadOf } from "./support/chat-pages.ts";
import { noBrowser } from "./support/chromium.ts";

interface Question {
  readonly id: string;
  readonly value: string;
}

const values = (page: Page): Promise<unknown> => page.evaluate("stream.values");
const questions = (page: Page): Promise<readonly Question[]> => page.evaluate("stream.interrupts");

describe.skipIf(noBrowser !== "")(`what useStream of @langchain/langgraph-sdk can do${noBrowser}`, () => {
  let chat: ChatPages;

  beforeAll(async () => {
    chat = await ChatPages.open("pages/legacy-desk.tsx");
  });
  afterEach(() => expect(chat.faults.splice(0)).toEqual([]));
  afterAll(() => chat?.dispose());

  /** Waits until the run has ended, and the page shows what came of it. */
  async function lead(page: Page, call: string): Promise<void> {
    await page.evaluate(call);
    await isIdle(page);
  }

  it("tells of a run, and of the graph inside it, and keeps the history that was asked for", async () => {
    const page = await chat.opened({ history: "2" });
    await lead(page, `stream.submit({ topic: "tides" }, { streamSubgraphs: true })`);
    const notes = ["read of tides", "closed tides"];
    const thread = threadOf(page);
    const inside = [expect.stringMatching(/^research:/)];
    await expect.poll(() => page.evaluate("heard.length")).toBe(6);
    expect(await page.evaluate("heard")).toEqual([
      ["created", { run_id: expect.any(String), thread_id: thread }],
      ["custom", { reading: "tides" }, inside],
      ["update", { read: { notes: [notes[0]] } }, inside],
      ["update", { research: { topic: "tides", notes: [notes[0]] } }, undefined],
      ["update", { close: { notes: [notes[1]] } }, undefined],
      ["finish", { topic: "tides", notes }],
    ]);
    expect(await values(page)).toEqual({ topic: "tides", notes });
    expect(await page.evaluate("stream.history.length")).toBe(2);
  });

  it("shows what is expected until the server says what is", async () => {
    const page = await chat.opened();
    const optimisticValues = `{ optimisticValues: (before) => ({ ...before, notes: ["expected"] }) }`;
    await lead(page, `stream.submit({ topic: "tides" }, ${optimisticValues})`);
    const seen = await page.evaluate<string[]>("shown.map(({ notes }) => notes?.[0] ?? '')");
    expect(seen.filter((note, index) => note !== "" && note !== seen[index - 1])).toEqual([
      "expected",
      "read of tides",
    ]);
  });

  it("has all questions, also on a page that fetches no history, and answers them by their ids", async () => {
    const page = await chat.opened();
    await lead(page, `stream.submit({ topic: "tides?" })`);
    expect((await questions(page)).map(({ value }) => value).toSorted()).toEqual(["When?", "Who?"]);
    const another = await chat.opened({ thread: threadOf(page), history: "none" });
    await expect.poll(async () => (await questions(another)).length).toBe(2);
    const [when, who] = (await questions(another)).toSorted((left, right) =>
      left.value < right.value ? -1 : 1,
    );
    await lead(another, `stream.submit(null, { command: { resume: { "${who?.id}": "Ann" } } })`);
    await expect.poll(() => questions(another)).toMatchObject([{ value: "When?" }]);
    await lead(another, `stream.submit(null, { command: { resume: { "${when?.id}": "now" } } })`);
    expect(await questions(another)).toEqual([]);
    expect(await values(another)).toMatchObject({
      notes: ["read of tides?", "when: now", "who: Ann", "closed tides?"],
    });
  });

  it("goes elsewhere with a command, and stops before a node and goes on", async () => {
    const page = await chat.opened();
    await lead(page, `stream.submit({ topic: "tides" }, { interruptBefore: ["close"] })`);
    expect(await page.evaluate("stream.interrupt")).toMatchObject({ when: "breakpoint" });
    await lead(page, `stream.submit(null)`);
    const command = `{ command: { update: { topic: "wind" }, goto: "close" } }`;
    await lead(page, `stream.submit(null, ${command})`);
    expect(await values(page)).toEqual({
      topic: "wind",
      notes: ["read of tides", "closed tides", "closed wind"],
    });
  });

  it("joins a run that somebody else has started, and leaves for another thread", async () => {
    const { thread_id: thread } = await chat.client.threads.create();
    const page = await chat.opened({ thread });
    await isIdle(page);
    const input = { topic: "tides" };
    const { run_id: run } = await chat.client.runs.create(thread, "desk", { input, streamMode: "values" });
    await lead(page, `stream.joinStream("${run}", "-1")`);
    expect(await values(page)).toEqual({ topic: "tides", notes: ["read of tides", "closed tides"] });
    await page.evaluate("stream.switchThread(null)");
    await expect.poll(() => values(page)).toEqual({});
    await lead(page, `stream.submit({ topic: "wind" })`);
    expect(await values(page)).toEqual({ topic: "wind", notes: ["read of wind", "closed wind"] });
    expect(threadOf(page)).not.toBe(thread);
  });

  it("shows what a page fetches itself", async () => {
    const page = await chat.opened({ transport: "own" });
    await lead(page, `stream.submit({ topic: "tides" })`);
    expect(await values(page)).toEqual({ topic: "tides", notes: ["read of tides", "closed tides"] });
  });
});
