// `npm start`: serves a Worker on this machine, without an account, the network or questions.
// Options: --port N (or TIDEMARK_PORT), --state-dir DIR (or TIDEMARK_STATE_DIR), --config FILE (a wrangler.toml).
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const values = readOptions();
const port = values.port ?? process.env["TIDEMARK_PORT"] ?? "8787";
const state = resolve(
  values["state-dir"] ?? process.env["TIDEMARK_STATE_DIR"] ?? join(root, ".tidemark/state"),
);
const config = resolve(values.config ?? join(root, "wrangler.toml"));

function readOptions() {
  try {
    return parseArgs({
      options: { port: { type: "string" }, "state-dir": { type: "string" }, config: { type: "string" } },
    }).values;
  } catch (error) {
    const problem = error instanceof Error ? error.message.split(". ")[0] : String(error);
    console.error(`${problem}. The options are --port N, --state-dir DIR and --config FILE.`);
    process.exit(2);
  }
}

const wrangler = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);
const options = ["--config", config, "--ip", "127.0.0.1", "--port", port, "--persist-to", state];
const quiet = ["--inspector-port", "0", "--show-interactive-dev-session=false"];

const shown = relative(".", state);
console.log(
  `Starting on http://localhost:${port}; Ctrl-C stops. State is kept in ${shown.startsWith("..") ? state : shown}.\n`,
);
const endWithParent = new URL("end-with-parent.js", import.meta.url).href;
await import(endWithParent);
const child = spawn(process.execPath, ["--import", endWithParent, wrangler, "dev", ...options, ...quiet], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
  env: {
    ...process.env,
    CI: "1",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    // Recording a trace of every SQL statement takes longer than the statements.
    X_LOCAL_OBSERVABILITY: "false",
    X_LOCAL_EXPLORER: "false",
    WRANGLER_LOG_PATH: join(state, "logs"),
    WRANGLER_REGISTRY_PATH: join(state, "registry"),
  },
});
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => {
  process.exitCode = signal ? 1 : (code ?? 1);
});
