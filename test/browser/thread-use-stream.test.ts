import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BundledServer } from "../e2e/support/bundled-server.ts";
import { noBrowser, openBrowser } from "./support/chromium.ts";
import { PageServer } from "./support/page-server.ts";

describe.skipIf(noBrowser !== "")(`useStream of @langchain/react${noBrowser}`, () => {
  let server: BundledServer;
  let pages: PageServer;
  let browser: Browser;
  let client: Client;
  /** What the pages have thrown. */
  const faults: Error[] = [];

  beforeAll(async () => {
    [server, pages, browser] = await Promise.all([
      BundledServer.build(join(import.meta.dirname, "fixtures")),
      PageServer.open(join(import.meta.dirname, "pages/thread-chat.tsx")),
      openBrowser(),
    ]);
    await server.start();
    client = new Client({ apiUrl: server.url, apiKey: null });
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await pages?.dispose();
    await server?.dispose();
  });

  /** A page of its own, with nothing of the others'. */
  async function opened(transport: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", (error) => faults.push(error));
    await page.goto(`${pages.url}/?${new URLSearchParams({ api: server.url, transport }).toString()}`);
    return page;
  }

  async function press(page: Page, button: string, text?: string): Promise<void> {
    if (text !== undefined) await page.locator("input").fill(text);
    await page.getByRole("button", { name: button, exact: true }).first().click();
  }

  const shows = (page: Page, text: string) =>
    page.locator("li[data-type=ai] span", { hasText: text }).waitFor();
  const isIdle = (page: Page) => page.locator("#state", { hasText: "idle" }).waitFor();
  const texts = (page: Page) => page.locator("li span").allTextContents();
  const threadOf = (page: Page) => new URL(page.url()).searchParams.get("thread") ?? "";

  describe.each(["sse", "websocket"])("over %s", (transport) => {
    it("shows answers as they come, one after the other", async () => {
      const page = await opened(transport);
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
      const page = await opened(transport);
      await press(page, "send", "ask");
      await page.locator("#question", { hasText: "May I?" }).waitFor();
      await page.reload();
      await page.locator("#question", { hasText: "May I?" }).waitFor();
      await press(page, "answer", "yes");
      await shows(page, "You said yes.");
      await isIdle(page);
      expect(await page.locator("#question").count()).toBe(0);
      expect(await texts(page)).toEqual(["ask", "You said yes."]);
    });

    it("goes on with a run that was under way when the page was loaded anew, and when the server was killed", async () => {
      const page = await opened(transport);
      await press(page, "send", "slow");
      await shows(page, "2 3");
      await page.reload();
      await shows(page, "2 3");
      await server.kill();
      await server.start();
      await shows(page, "39 done");
      await isIdle(page);
      expect(await texts(page)).toEqual(["slow", expect.stringMatching(/^1 2 3 .* 39 done$/)]);
      expect(await client.runs.list(threadOf(page))).toMatchObject([{ status: "success" }]);
    });

    it("stops a run", async () => {
      const page = await opened(transport);
      await press(page, "send", "slow");
      await shows(page, "2 3");
      await press(page, "stop");
      await isIdle(page);
      await expect.poll(async () => (await client.runs.list(threadOf(page)))[0]?.status).toBe("interrupted");
      await press(page, "send", "more");
      await shows(page, "Echo of more.");
    });
  });
});
