import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const executablePath = PLACES.find((path) => existsSync(path));

/** Says behind a test's name why it cannot run here; empty where it can. */
export const noBrowser =
  executablePath === undefined ? ` (skipped: no browser is installed at ${PLACES.join(" or ")})` : "";

/** It asks nobody but the test's own servers for anything. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser without a window, with a profile of its own. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: QUIET });
}
