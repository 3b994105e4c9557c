import { BucketServer } from "../../test/e2e/support/bucket-server.ts";
import { BundledServer } from "../../test/e2e/support/bundled-server.ts";
import { post } from "./post.ts";
import type { Kind, Place } from "./values.ts";

const QUIET_FOR = 200;

/**
 * How much memory an object holds at its worst: wherever much is taken, and before the calls to its storage, all is collected
 * that nobody holds, and V8 tells what is left.
 */
export class LiveMemory {
  readonly #server: BundledServer;
  readonly #bucket: BucketServer;
  readonly #told: ToldMemory;
  readonly #base: number;

  private constructor(server: BundledServer, bucket: BucketServer, told: ToldMemory, base: number) {
    this.#server = server;
    this.#bucket = bucket;
    this.#told = told;
    this.#base = base;
  }

  static async start(): Promise<LiveMemory> {
    const told = new ToldMemory();
    const bucket = await BucketServer.start();
    const server = await BundledServer.build(import.meta.dirname, {
      v8Flags: ["--expose-gc", "--trace-gc-verbose"],
      bucket: bucket.address,
      onOutput: (text) => told.read(text),
    });
    await server.start();
    await post(`${server.url}/tidemark/R2/none`);
    return new LiveMemory(server, bucket, told, await told.takePeak());
  }

  /** In bytes: the value in all its forms, without what an object has anyway. */
  async of(place: Place, kind: Kind): Promise<number> {
    await post(`${this.#server.url}/tidemark/${place}/${kind}`);
    return (await this.#told.takePeak()) - this.#base;
  }

  async stop(): Promise<void> {
    await this.#server.dispose();
    await this.#bucket.stop();
  }
}

/** What V8 tells of its collections (`--trace-gc-verbose`): the most that was left after all that nobody holds was collected. */
class ToldMemory {
  #rest = "";
  #kibibytes = { heap: 0, buffers: 0 };
  #peak = 0;
  #readAt = 0;

  /** In bytes, since the last call. */
  async takePeak(): Promise<number> {
    while (performance.now() - this.#readAt < QUIET_FOR)
      await new Promise((resolve) => setTimeout(resolve, QUIET_FOR));
    const peak = this.#peak;
    this.#peak = 0;
    return peak;
  }

  read(text: string): void {
    this.#readAt = performance.now();
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#readLine(line);
  }

  #readLine(line: string): void {
    const heap = /All spaces, +used: +(\d+) KB/.exec(line);
    if (heap !== null) this.#kibibytes.heap = Number(heap[1]);
    const buffers = /Backing store memory: +(\d+) KB/.exec(line);
    if (buffers !== null) this.#kibibytes.buffers = Number(buffers[1]);
    if (line !== "collected") return;
    this.#peak = Math.max(this.#peak, 1024 * (this.#kibibytes.heap + this.#kibibytes.buffers));
  }
}
