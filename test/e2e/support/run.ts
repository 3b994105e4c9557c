import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const require = createRequire(import.meta.url);

const QUIET = { CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };

/** Runs a program to its end and returns what it printed; a failure says all that it printed. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await execute(program, args, {
      cwd,
      timeout: 60_000,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, ...QUIET, WRANGLER_LOG_PATH: join(cwd, ".wrangler/logs") },
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Runs a program that a package of this repository brings. */
export function runBin(name: "tsc" | "wrangler", args: readonly string[], cwd: string): Promise<string> {
  const packages = { tsc: "typescript", wrangler: "wrangler" };
  const manifest = require.resolve(`${packages[name]}/package.json`);
  const { bin } = require(manifest) as { readonly bin: Readonly<Record<string, string>> };
  return run(process.execPath, [join(dirname(manifest), bin[name] ?? ""), ...args], cwd);
}

/** Bundles a Worker as a deployment does, without deploying it. */
export function bundle(folder: string, outdir: string): Promise<string> {
  const args = ["deploy", "--dry-run", "--minify", "--outdir", outdir];
  return runBin("wrangler", args, folder);
}
