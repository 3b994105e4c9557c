import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ChatPages, isIdle, press, shows, texts, threadOf } from "./support/chat-pages.ts";
import { noBrowser } from "./support/chromium.ts";

describe.skipIf(noBrowser !== "")(`useStream of @langchain/langgraph-sdk${noBrowser}`, () => {
  let chat: ChatPages;

  beforeAll(async () => {
    chat = await ChatPages.open("pages/legacy-chat.tsx");
  });
  afterEach(() => expect(chat.faults.splice(0)).toEqual([]));
  afterAll(() => chat?.dispose());

  it("shows the pieces of an answer as they come", async () => {
    const page = await chat.opened();
    await press(page, "send", "one two three");
    await shows(page, "Echo of one two three.");
    await isIdle(page);
    const seen = JSON.parse((await page.locator("#seen").textContent()) ?? "") as string[];
    expect(seen.length).toBeGreaterThan(2);
    for (const text of seen) expect("Echo of one two three.".startsWith(text)).toBe(true);
    expect(await texts(page)).toEqual(["one two three", "Echo of one two three."]);
  });

  it("shows a question, and answers it", async () => {
    const page = await chat.opened();
    await press(page, "send", "ask");
    await page.locator("#question", { hasText: "May I?" }).waitFor();
    await press(page, "answer", "yes");
    await shows(page, "You said yes.");
    await isIdle(page);
    expect(await page.locator("#question").count()).toBe(0);
    expect(await texts(page)).toEqual(["ask", "You said yes."]);
  });

  it("shows what a run has failed with, also on a page that knows the thread alone", async () => {
    const failed = /^No more words\.$/;
    const page = await chat.opened();
    await press(page, "send", "fail");
    await page.locator("#error", { hasText: failed }).waitFor();
    const another = await chat.opened({ thread: threadOf(page) });
    await another.locator("#error", { hasText: failed }).waitFor();
    await press(another, "send", "again");
    await shows(another, "Echo of again.");
  });

  it("stops a run", async () => {
    const page = await chat.opened();
    await press(page, "send", "slow");
    await shows(page, "2 3");
    await press(page, "stop");
    await isIdle(page);
    const [run] = await chat.client.runs.list(threadOf(page));
    await expect
      .poll(async () => (await chat.client.runs.get(threadOf(page), run?.run_id ?? "")).status)
      .toBe("interrupted");
    expect(await page.locator("#error").textContent()).toBe("");
    await press(page, "send", "more");
    await shows(page, "Echo of more.");
  });

  it("goes on with a run that was under way when the page was loaded anew", async () => {
    const page = await chat.opened();
    await press(page, "send", "slow");
    await shows(page, "2 3");
    await page.reload();
    await page.locator("#state", { hasText: "loading" }).waitFor();
    await shows(page, "39 done");
    await isIdle(page);
    expect(await texts(page)).toEqual(["slow", expect.stringMatching(/^1 2 3 .* 39 done$/)]);
    expect(await chat.client.runs.list(threadOf(page))).toMatchObject([{ status: "success" }]);
    const seen = JSON.parse((await page.locator("#seen").textContent()) ?? "") as string[];
    expect(seen.length).toBeGreaterThan(10);
  });

  it("edits a message on a branch, and goes back to the first", async () => {
    const page = await chat.opened();
    await press(page, "send", "first");
    await shows(page, "Echo of first.");
    await isIdle(page);
    await press(page, "send", "second");
    await shows(page, "Echo of second.");
    await isIdle(page);
    await page.locator("input").fill("other");
    await page.locator("li", { hasText: "second" }).first().getByRole("button", { name: "edit" }).click();
    await shows(page, "Echo of other.");
    await isIdle(page);
    expect(await texts(page)).toEqual(["first", "Echo of first.", "other", "Echo of other."]);
    await page.locator("button.branch").first().click();
    expect(await texts(page)).toEqual(["first", "Echo of first.", "second", "Echo of second."]);
  });
});
