import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChatPages } from "./support/chat-pages.ts";
import { noBrowser } from "./support/chromium.ts";

describe.skipIf(noBrowser !== "")(`tidemark/client in a page${noBrowser}`, () => {
  let chat: ChatPages;

  beforeAll(async () => {
    chat = await ChatPages.open("scripts/tidemark-client.ts");
  });
  afterAll(() => chat?.dispose());

  it("hears all of a run, also where the server is killed in between", async () => {
    const page = await chat.opened();
    const ended = page.evaluate(`chat(${JSON.stringify(chat.server.url)})`);
    await page.waitForFunction("said.length > 2");
    await chat.server.kill();
    await chat.server.start();
    expect(await ended).toBe(0);
    const numbers = Array.from({ length: 39 }, (_, index) => String(index + 1));
    expect(await page.evaluate("said")).toEqual([...numbers, "done"]);
    expect(chat.faults).toEqual([]);
  });
});
