import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ChatPages, holdEvents, isIdle, press, shows, texts, threadOf } from "./support/chat-pages.ts";
import { noBrowser } from "./support/chromium.ts";

describe.skipIf(noBrowser !== "")(`useStream of @langchain/react${noBrowser}`, () => {
  let chat: ChatPages;

  beforeAll(async () => {
    chat = await ChatPages.open("pages/thread-chat.tsx");
  });
  afterEach(() => expect(chat.faults.splice(0)).toEqual([]));
  afterAll(() => chat?.dispose());

  describe.each(["sse", "websocket"])("over %s", (transport) => {
    it("shows answers as they come, one after the other", async () => {
      const page = await chat.opened({ transport });
      await press(page, "send", "one");
      await shows(page, "Echo of one.");
      await isIdle(page);
      await press(page, "send", "two");
      await shows(page, "Echo of two.");
      await isIdle(page);
      expect(await texts(page)).toEqual(["one", "Echo of one.", "two", "Echo of two."]);
      expect(await page.locator("#error").textContent()).toBe("");
    });

    it("shows a question, also after a reload, and answers it", async () => {
      const page = await chat.opened({ transport });
      await press(page, "send", "ask");
      await page.locator("#question", { hasText: "May I?" }).waitFor();
      await holdEvents(page);
      await page.reload();
      await page.locator("#question", { hasText: "May I?" }).waitFor();
      await press(page, "answer", "yes");
      await shows(page, "You said yes.");
      await isIdle(page);
      expect(await page.locator("#question").count()).toBe(0);
      expect(await texts(page)).toEqual(["ask", "You said yes."]);
    });

    it("goes on with a run that was under way when the page was loaded anew, and when the server was killed", async () => {
      const page = await chat.opened({ transport });
      await press(page, "send", "slow");
      await shows(page, "2 3");
      await page.reload();
      await shows(page, "2 3");
      await chat.server.kill();
      await chat.server.start();
      await shows(page, "39 done");
      await isIdle(page);
      expect(await texts(page)).toEqual(["slow", expect.stringMatching(/^1 2 3 .* 39 done$/)]);
      expect(await chat.client.runs.list(threadOf(page))).toMatchObject([{ status: "success" }]);
    });

    it("stops a run", async () => {
      const page = await chat.opened({ transport });
      await press(page, "send", "slow");
      await shows(page, "2 3");
      await press(page, "stop");
      await isIdle(page);
      await expect
        .poll(async () => (await chat.client.runs.list(threadOf(page)))[0]?.status)
        .toBe("interrupted");
      await press(page, "send", "more");
      await shows(page, "Echo of more.");
    });
  });
});
