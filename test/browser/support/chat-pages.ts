import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "@langchain/langgraph-sdk";
import type { Browser, Page } from "playwright-core";
import { BundledServer } from "../../e2e/support/bundled-server.ts";
import { openBrowser } from "./chromium.ts";
import { PageServer } from "./page-server.ts";

/** A server, and pages in a browser that chat with it. */
export class ChatPages {
  readonly server: BundledServer;
  readonly client: Client;
  /** What the pages have thrown. */
  readonly faults: Error[] = [];
  readonly #pages: PageServer;
  readonly #browser: Browser;

  private constructor(server: BundledServer, pages: PageServer, browser: Browser) {
    this.server = server;
    this.client = new Client({ apiUrl: server.url, apiKey: null });
    this.#pages = pages;
    this.#browser = browser;
  }

  /** `page`: its script, a file of test/browser. */
  static async open(page: string): Promise<ChatPages> {
    const folder = join(import.meta.dirname, "..");
    const [server, pages, browser] = await Promise.all([
      BundledServer.build(join(folder, "fixtures")),
      PageServer.open(join(folder, page)),
      openBrowser(),
    ]);
    await server.start();
    return new ChatPages(server, pages, browser);
  }

  /** A page of its own, with nothing of the others'. */
  async opened(parameters: Readonly<Record<string, string>> = {}): Promise<Page> {
    const page = await (await this.#browser.newContext()).newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", (error) => this.faults.push(error));
    const query = new URLSearchParams({ api: this.server.url, ...parameters });
    await page.goto(`${this.#pages.url}/?${query.toString()}`);
    return page;
  }

  async dispose(): Promise<void> {
    await this.#browser.close();
    await this.#pages.dispose();
    await this.server.dispose();
  }
}

export async function press(page: Page, button: string, text?: string): Promise<void> {
  if (text !== undefined) await page.locator("input").fill(text);
  await page.getByRole("button", { name: button, exact: true }).first().click();
}

/** The events of what is opened from now on come a second late; the state of the thread comes at once. */
export async function holdEvents(page: Page): Promise<void> {
  await page.route("**/stream/events", async (route) => {
    await setTimeout(1000);
    await route.continue();
  });
  await page.routeWebSocket(/stream/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => void setTimeout(1000).then(() => socket.send(message)));
  });
}

export function shows(page: Page, text: string): Promise<void> {
  return page.locator("li[data-type=ai] span", { hasText: text }).waitFor();
}

export function isIdle(page: Page): Promise<void> {
  return page.locator("#state", { hasText: "idle" }).waitFor();
}

export function texts(page: Page): Promise<string[]> {
  return page.locator("li span").allTextContents();
}

export function threadOf(page: Page): string {
  return new URL(page.url()).searchParams.get("thread") ?? "";
}
