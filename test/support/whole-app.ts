import type { Hono } from "../../src/http/hono.ts";
import type { AppOptions } from "../../src/http/app-options.ts";
import { createApp } from "../../src/http/app.ts";
import { Log } from "../../src/log.ts";
import { openapi } from "../../src/openapi/index.ts";

function unasked(): never {
  throw new Error("Nothing is asked: only the routes are looked at.");
}

/** The router with all routes that there can be, and nothing behind it. */
export function wholeApp(options: Partial<AppOptions> = {}): Hono {
  return createApp({
    origins: [],
    extract: [],
    graphs: {},
    hasCrons: true,
    documentation: openapi(),
    heartbeat: 5000,
    reauthenticate: 300_000,
    maxBodySize: 0,
    log: new Log({ level: "silent" }, () => 0),
    store: unasked,
    report: unasked,
    threadById: unasked,
    threads: unasked,
    directories: () => undefined,
    hookKeys: () => undefined,
    rateLimiter: () => undefined,
    ...options,
  });
}
