import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BundledServer } from "../e2e/support/bundled-server.ts";
import { noBrowser, openBrowser } from "./support/chromium.ts";
import { PageServer } from "./support/page-server.ts";

describe.skipIf(noBrowser !== "")(`useStream of @langchain/langgraph-sdk${noBrowser}`, () => {
  let server: BundledServer;
  let pages: PageServer;
  let browser: Browser;
  let client: Client;
  /** What the pages have thrown. */
  const faults: Error[] = [];

  beforeAll(async () => {
    [server, pages, browser] = await Promise.all([
      BundledServer.build(join(import.meta.dirname, "fixtures")),
      PageServer.open(join(import.meta.dirname, "pages/legacy-chat.tsx")),
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
  async function opened(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", (error) => faults.push(error));
    await page.goto(`${pages.url}/?api=${encodeURIComponent(server.url)}`);
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

  it("shows the pieces of an answer as they come", async () => {
    const page = await opened();
    await press(page, "send", "one two three");
    await shows(page, "Echo of one two three.");
    await isIdle(page);
    const seen = JSON.parse((await page.locator("#seen").textContent()) ?? "") as string[];
    expect(seen.length).toBeGreaterThan(2);
    for (const text of seen) expect("Echo of one two three.".startsWith(text)).toBe(true);
    expect(await texts(page)).toEqual(["one two three", "Echo of one two three."]);
  });

  it("shows a question, and answers it", async () => {
    const page = await opened();
    await press(page, "send", "ask");
    await page.locator("#question", { hasText: "May I?" }).waitFor();
    await press(page, "answer", "yes");
    await shows(page, "You said yes.");
    await isIdle(page);
    expect(await page.locator("#question").count()).toBe(0);
    expect(await texts(page)).toEqual(["ask", "You said yes."]);
  });

  it("stops a run", async () => {
    const page = await opened();
    await press(page, "send", "slow");
    await shows(page, "2 3");
    await press(page, "stop");
    await isIdle(page);
    const [run] = await client.runs.list(threadOf(page));
    await expect
      .poll(async () => (await client.runs.get(threadOf(page), run?.run_id ?? "")).status)
      .toBe("interrupted");
    expect(await page.locator("#error").textContent()).toBe("");
    await press(page, "send", "more");
    await shows(page, "Echo of more.");
  });

  it("goes on with a run that was under way when the page was loaded anew", async () => {
    const page = await opened();
    await press(page, "send", "slow");
    await shows(page, "2 3");
    await page.reload();
    await page.locator("#state", { hasText: "loading" }).waitFor();
    await shows(page, "39 done");
    await isIdle(page);
    expect(await texts(page)).toEqual(["slow", expect.stringMatching(/^1 2 3 .* 39 done$/)]);
    expect(await client.runs.list(threadOf(page))).toMatchObject([{ status: "success" }]);
    const seen = JSON.parse((await page.locator("#seen").textContent()) ?? "") as string[];
    expect(seen.length).toBeGreaterThan(10);
  });

  it("edits a message on a branch, and goes back to the first", async () => {
    const page = await opened();
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
