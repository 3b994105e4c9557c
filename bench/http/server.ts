import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { BundledServer } from "../../test/e2e/support/bundled-server.ts";

/** What answers requests. */
export interface Server {
  readonly url: string;
  /** Of its process, while it runs. */
  readonly pid: number | undefined;
  start(): Promise<void>;
  /** Its state outlives it. */
  stop(): Promise<void>;
  /** Ends it, and removes its state. */
  dispose(): Promise<void>;
}

export const DISK = tmpdir();

/** A folder that is in memory, as what the reference server knows is. */
export function memory(): string {
  const folder = "/dev/shm";
  if (existsSync(folder)) return folder;
  throw new Error(`There is no ${folder}: this bench needs Linux.`);
}

/** The bundle of a Worker as it is deployed, in the runtime alone. Ended by SIGKILL. */
export async function workerServer(source: string, folder: string): Promise<Server> {
  const bundled = await BundledServer.build(source, { folder });
  return {
    url: bundled.url,
    get pid() {
      return bundled.pid;
    },
    start: () => bundled.start(),
    stop: () => bundled.kill(),
    dispose: () => bundled.dispose(),
  };
}
