import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { request } from "./request.ts";
import { bundle } from "./run.ts";

const READY_WITHIN = 30_000;

export interface BundledServerOptions {
  /** Where its state is, in a folder of its own; that of the system for what is temporary by default. */
  readonly folder?: string;
  readonly v8Flags?: readonly string[];
  /** Host and port of a bucket, which the Worker has as `BLOBS`. */
  readonly bucket?: string;
  /** Gets what the process prints. */
  readonly onOutput?: (text: string) => void;
}
const require = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));
const { default: workerd } = require("workerd") as { readonly default: string };

/**
 * The bundle of a Worker as it is deployed, in the runtime alone: one process, which starts at once. It may be killed and
 * started again on the same state and port; `dispose` ends it and removes the state.
 */
export class BundledServer {
  readonly url: string;
  readonly #folder: string;
  readonly #onOutput: (text: string) => void;
  #process: ChildProcess | undefined;
  #output = "";

  private constructor(folder: string, port: number, onOutput: (text: string) => void = () => undefined) {
    this.#folder = folder;
    this.#onOutput = onOutput;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** `source`: a folder with a wrangler.toml. */
  static async build(source: string, options: BundledServerOptions = {}): Promise<BundledServer> {
    const folder = mkdtempSync(join(options.folder ?? tmpdir(), "tidemark-kill-"));
    await bundle(source, folder);
    mkdirSync(join(folder, "state"));
    const port = await freePort();
    writeFileSync(join(folder, "config.capnp"), configOf(folder, port, options));
    return new BundledServer(folder, port, options.onOutput);
  }

  async start(): Promise<void> {
    const child = spawn(workerd, ["serve", join(this.#folder, "config.capnp")], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => this.#note(chunk.toString()));
    const deadline = Date.now() + READY_WITHIN;
    while ((await request(`${this.url}/ok`).catch(() => undefined))?.status !== 200) {
      if (child.exitCode !== null) throw new Error(`The server has ended by itself.\n${this.#output}`);
      if (Date.now() > deadline) throw new Error(`The server does not answer.\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #note(text: string): void {
    this.#output = (this.#output + text).slice(-20_000);
    this.#onOutput(text);
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  async dispose(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function configOf(folder: string, port: number, options: BundledServerOptions): string {
  const { v8Flags = [], bucket } = options;
  const namespaces = ["Thread", "Directory"];
  const bindings = namespaces.map(
    (name) => `(name = "${name.toUpperCase()}", durableObjectNamespace = "${name}")`,
  );
  const classes = namespaces.map(
    (name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`,
  );
  const flags = v8Flags.map((flag) => `"${flag}"`);
  const services: string[] = [];
  if (bucket !== undefined) {
    services.push(`(name = "bucket", external = (address = "${bucket}", http = ()))`);
    bindings.push(`(name = "BLOBS", r2Bucket = "bucket")`);
  }
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "state", disk = (path = "${join(folder, "state")}", writable = true)),
    (name = "network", network = (allow = ["public", "private"])),
    ${services.join(",\n    ")}
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
  v8Flags = [${flags.join(", ")}],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["nodejs_als"],
  durableObjectNamespaces = [${classes.join(", ")}],
  durableObjectStorage = (localDisk = "state"),
  bindings = [${bindings.join(", ")}],
  globalOutbound = "network",
);
`;
}
