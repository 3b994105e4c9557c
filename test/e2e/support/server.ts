import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { request } from "./request.ts";

export const ROOT = join(import.meta.dirname, "../../..");

const READY_WITHIN = 60_000;

export interface ServerOptions {
  /** A wrangler.toml, absent for the example's. */
  readonly config?: string;
}

/**
 * The real server, as `npm start` starts it, on a port and a state directory of its own. It may be killed and started
 * again on the same state; `dispose` ends it and removes the state.
 */
export class Server {
  readonly #config: string | undefined;
  readonly #state = mkdtempSync(join(tmpdir(), "tidemark-e2e-"));
  #process: ChildProcess | undefined;
  #output = "";
  #port = 0;

  constructor(options: ServerOptions = {}) {
    this.#config = options.config;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The folder where it keeps its state. */
  get state(): string {
    return this.#state;
  }

  get port(): number {
    return this.#port;
  }

  async start(): Promise<void> {
    this.#port = await freePort();
    const config = this.#config === undefined ? [] : ["--config", this.#config];
    const options = ["--port", String(this.#port), "--state-dir", this.#state, ...config];
    // A process group of its own: wrangler and workerd go with it.
    const child = spawn(process.execPath, [join(ROOT, "scripts/start.js"), ...options], {
      cwd: ROOT,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      // What a killed process leaves behind is removed with the state.
      env: { ...process.env, TMPDIR: this.#state },
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    }
    await this.#ready(child);
  }

  /** SIGKILL to everything at once: nothing gets to say goodbye. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined) return;
    const exited = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, "exit");
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group is gone already.
    }
    await exited;
  }

  /** SIGKILL to the process that was started, and to none of those that it has started. */
  killStarter(): void {
    this.#process?.kill("SIGKILL");
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async dispose(): Promise<void> {
    await this.kill();
    rmSync(this.#state, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async #ready(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + READY_WITHIN;
    for (;;) {
      const answer = await request(`${this.url}/ok`).catch(() => undefined);
      if (answer?.status === 200) return;
      if (child.exitCode !== null) throw new Error(`The server has ended by itself.\n${this.#output}`);
      if (Date.now() > deadline)
        throw new Error(`No answer within ${READY_WITHIN / 1000} s.\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
