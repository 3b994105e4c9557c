import { join } from "node:path";
import { createTestHarness } from "wrangler";
import { median, time } from "../support/timing.ts";
import { threadId, THREADS } from "./entries.ts";

const ROUNDS = 9;
const COLD_ROUNDS = 3;
const AT_ONCE = 2000;

type Query = readonly [work: string, path: string, body?: object];

const SELECT = { select: ["thread_id", "status", "metadata"] };
const page = (filter: object): object => ({ ...SELECT, limit: 20, ...filter });

const QUERIES: readonly Query[] = [
  ["newest first, all threads", "/threads/search", page({})],
  ["one user (10 threads)", "/threads/search", page({ metadata: { user: "user-77" } })],
  ["a plan (50,000 threads)", "/threads/search", page({ metadata: { plan: "pro" } })],
  [
    "a plan, a source and a tag",
    "/threads/search",
    page({ metadata: { plan: "pro", source: "app", tags: ["tag-8"] } }),
  ],
  [
    "5,000 threads, the oldest, asked newest first",
    "/threads/search",
    page({ metadata: { source: "import" } }),
  ],
  [
    "a list of objects, compared in full",
    "/threads/search",
    page({ metadata: { user: "user-77", visits: [{ page: 17 }] } }),
  ],
  [
    "a list of objects that a twentieth has",
    "/threads/search",
    page({ metadata: { visits: [{ page: 7, from: 1 }] } }),
  ],
  ["status interrupted (1,000 threads)", "/threads/search", page({ status: "interrupted" })],
  [
    "status idle (97,000 threads), by update",
    "/threads/search",
    page({ status: "idle", sort_by: "updated_at" }),
  ],
  ["a topic of the values (200 threads)", "/threads/search", page({ values: { topic: "topic-7" } })],
  [
    "100 ids",
    "/threads/search",
    page({ ids: Array.from({ length: 100 }, (_, index) => threadId(index * 997)), limit: 100 }),
  ],
  ["10,000 threads further", "/threads/search", page({ offset: 10_000 })],
  ["count of all", "/threads/count", {}],
  ["count of a plan", "/threads/count", { metadata: { plan: "pro" } }],
  ["count of a plan and a source", "/threads/count", { metadata: { plan: "pro", source: "app" } }],
  ["the first 20 questions", "/interrupts?limit=20"],
];

/** Beside drafts: each is asked of. */
const WITH_DRAFTS: readonly Query[] = [
  ["count of all, beside 100 drafts", "/threads/count", {}],
  ["count of a plan, beside 100 drafts", "/threads/count", { metadata: { plan: "pro" } }],
  ["newest first, beside 100 drafts", "/threads/search", page({})],
];

/** Searches of a tenant with 100,000 threads, over HTTP: with objects that are awake, and with all of them just woken. */
export async function benchDirectory(): Promise<string> {
  const harness = createTestHarness({
    workers: [{ configPath: join(import.meta.dirname, "wrangler.toml") }],
  });
  const { origin } = (await harness.listen()).url;
  try {
    for (let from = 0; from < THREADS; from += AT_ONCE)
      await ask(origin, `/fill?from=${from}&to=${Math.min(from + AT_ONCE, THREADS)}`);
    const lines: string[] = [];
    for (const query of QUERIES) lines.push(await lineOf(origin, query));
    await ask(origin, `/draft?from=${THREADS}&to=${THREADS + 100}`);
    for (const query of WITH_DRAFTS) lines.push(await lineOf(origin, query));
    return [
      `${"workerd, over HTTP, ms".padEnd(50)}${"warm".padStart(8)}${"cold".padStart(8)}`,
      ...lines,
    ].join("\n");
  } finally {
    await harness.close();
  }
}

async function lineOf(origin: string, [work, path, body]: Query): Promise<string> {
  const [warm, cold]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) warm.push(await time(() => ask(origin, path, body)));
  for (let round = 0; round < COLD_ROUNDS; round++) {
    await ask(origin, "/leave");
    cold.push(await time(() => ask(origin, path, body)));
  }
  return `${work.padEnd(50)}${median(warm).toFixed(1).padStart(8)}${median(cold).toFixed(1).padStart(8)}`;
}

async function ask(origin: string, path: string, body?: object): Promise<void> {
  const init = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${origin}${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
}
