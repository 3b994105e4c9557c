import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/e2e/support/free-port.ts";
import type { Server } from "./server.ts";

const READY_WITHIN = 30_000;
const ROOT = join(import.meta.dirname, "../..");

/** The in-memory server of `@langchain/langgraph-api`. */
export class ReferenceServer implements Server {
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = mkdtempSync(join(folder, "tidemark-reference-"));
    this.url = `http://127.0.0.1:${port}`;
  }

  static async create(folder: string): Promise<ReferenceServer> {
    return new ReferenceServer(await freePort(), folder);
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const script = join(import.meta.dirname, "reference-process.ts");
    const sources = join(ROOT, "bench/support/sources.ts");
    const child = spawn(process.execPath, ["--import", sources, script, String(this.#port), this.#folder], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, LOG_LEVEL: "error" },
    });
    this.#process = child;
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-10_000)));
    const deadline = Date.now() + READY_WITHIN;
    while (!(await fetch(`${this.url}/ok`).catch(() => undefined))?.ok) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`The reference server does not answer. npm run bench:install brings it.\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Gently: killed, it would have forgotten all. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await exited;
    clearTimeout(timer);
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
