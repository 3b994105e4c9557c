// `npm start`: serves the example on this machine, without an account, the network or questions.
// Options: --port N (or TIDEMARK_PORT) and --state-dir DIR (or TIDEMARK_STATE_DIR).
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { port: { type: "string" }, "state-dir": { type: "string" } } });
const port = values.port ?? process.env["TIDEMARK_PORT"] ?? "8787";
const state = resolve(
  values["state-dir"] ?? process.env["TIDEMARK_STATE_DIR"] ?? join(root, ".tidemark/state"),
);

const wrangler = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);
const options = ["--ip", "127.0.0.1", "--port", port, "--persist-to", state];
const quiet = ["--inspector-port", "0", "--show-interactive-dev-session=false"];

const child = spawn(process.execPath, [wrangler, "dev", ...options, ...quiet], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
  env: {
    ...process.env,
    CI: "1",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
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
