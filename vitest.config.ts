import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Response } from "miniflare";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { receive } from "./test/support/receiver.ts";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { CrashMatrixReporter } from "./test/support/crash-matrix-reporter.ts";
import { EXCLUDED, OFTEN } from "./test/workers/resets.ts";
import { PinsReporter } from "./test/support/pins-reporter.ts";

type TestOptions = NonNullable<TestProjectInlineConfiguration["test"]>;

/** Archives of threads are imported as their bytes. */
const archiveBytes = {
  name: "archive-bytes",
  load: (id: string) =>
    id.endsWith(".tidemark")
      ? `export default Uint8Array.from(atob(${JSON.stringify(readFileSync(id, "base64"))}), (c) => c.charCodeAt(0));`
      : null,
};

// "tidemark" means the sources, by the `paths` of tsconfig.json; vite leaves names with a "#" out of those.
const resolve = {
  tsconfigPaths: true,
  alias: { "#async-context": join(import.meta.dirname, "src/pregel/async-context.ts") },
};

/** A worker loads the modules once, not once a file: that would take longer than most files. */
const sharing = { isolate: false };
/** Ends what hangs: a machine that does something else besides must not end what is only slow. */
const parallel = { maxWorkers: "100%", sequence: { groupOrder: 1 }, testTimeout: 20_000 };
/** Two at once: they start servers and browsers, and wait for them for half of the time. */
const twoAtOnce = { maxWorkers: 2, sequence: { groupOrder: 2 } };

function node(name: string, test: TestOptions): TestProjectInlineConfiguration {
  return { resolve, test: { name, ...parallel, ...test } };
}

const isLong = process.env["TIDEMARK_LONG"] !== undefined;

/** Workers have no environment of the process: what tests want of it is written into them. */
const define = {
  RESETS: "false",
  MODEL_SEQUENCES: process.env["TIDEMARK_RUNS"] ?? (isLong ? "10000" : "200"),
  MODEL_FIRST_SEED: process.env["TIDEMARK_SEED"] ?? "0",
  EVERY_CRASH: isLong ? "true" : "false",
  BAD_BODIES: isLong ? "200" : "10",
};

function workerd(name: string, test: TestOptions, defined = {}): TestProjectInlineConfiguration {
  const plugins = [
    archiveBytes,
    cloudflareTest({
      // The runtime says of each client that left in the middle that it did.
      verbose: false,
      wrangler: { configPath: "./test/workers/wrangler.toml" },
      miniflare: {
        outboundService: async (request: Request) => {
          const { status, headers, body } = await receive(request);
          return new Response(body === "" ? null : body, { status, headers });
        },
      },
    }),
  ];
  return {
    resolve,
    plugins,
    define: { ...define, ...defined },
    test: { name, ...parallel, ...sharing, ...test },
  };
}

/**
 * No other file is to share their process: they register classes of messages for all graphs in it, or count how often code runs,
 * which V8 does of what was compiled since.
 */
const registering = [
  "test/unit/messages/langchain.test.ts",
  "test/unit/oracle/chat.test.ts",
  "test/unit/storage/long-values.test.ts",
];

const reporters = [
  "minimal",
  new PinsReporter(),
  new CrashMatrixReporter(process.env["TIDEMARK_CRASH_MATRIX"] === "write"),
];
const report = process.env["TIDEMARK_TEST_REPORT"];

export default defineConfig({
  test: {
    reporters: report ? [...reporters, ["json", { outputFile: report }]] : reporters,

    projects: [
      node("unit", {
        include: ["test/unit/**/*.test.ts", "test/contract/**/*.unit.test.ts"],
        exclude: registering,
        ...sharing,
      }),
      node("unit-registering", { include: registering }),
      workerd("workers", { include: ["test/workers/**/*.test.ts", "test/contract/**/*.workers.test.ts"] }),
      workerd(
        "resets",
        {
          include: isLong ? ["test/workers/{thread,http,hooks}/**/*.test.ts"] : [...OFTEN],
          exclude: [EXCLUDED],
          setupFiles: ["test/workers/leave-out.ts"],
          expect: { poll: { timeout: 8000 } },
        },
        { RESETS: "true" },
      ),
      // @langchain/langgraph-checkpoint-validation expects describe, it and expect to be globals.
      node("conformance", { include: ["test/conformance/**/*.unit.test.ts"], globals: true }),
      workerd("conformance-workers", { include: ["test/conformance/**/*.workers.test.ts"], globals: true }),
      node("e2e", {
        include: ["test/e2e/**/*.test.ts", "test/compat/**/*.test.ts"],
        ...twoAtOnce,
        testTimeout: 120_000,
        hookTimeout: 60_000,
      }),
      node("browser", {
        include: ["test/browser/**/*.test.ts"],
        ...twoAtOnce,
        expect: { poll: { timeout: 8000 } },
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
    ],
  },
});
