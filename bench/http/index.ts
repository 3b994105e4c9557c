import { join } from "node:path";
import { restarts } from "./restarts.ts";
import { ReferenceServer } from "./reference-server.ts";
import { DISK, memory, workerServer, type Server } from "./server.ts";
import { budgetTable, latencyTable, platformTable, throughputTable } from "./tables.ts";
import { throughputs, type Servers } from "./throughputs.ts";

/**
 * The bundle of a Worker in the runtime alone, and the in-memory reference server, under the same requests in turns. The client is this
 * process.
 */
export async function benchHttp(): Promise<string> {
  const started: Server[] = [];
  const start = async (server: Server): Promise<Server> => {
    started.push(server);
    await server.start();
    return server;
  };
  try {
    const servers: Servers = {
      inMemory: await start(await workerServer(import.meta.dirname, memory())),
      onDisk: await start(await workerServer(import.meta.dirname, DISK)),
      bare: await start(await workerServer(join(import.meta.dirname, "bare"), DISK)),
      reference: await start(await ReferenceServer.create(memory())),
    };
    const figures = await throughputs(servers);
    const ours = await restarts(servers.onDisk);
    const theirs = await restarts(servers.reference);
    return [
      throughputTable(figures),
      platformTable(figures),
      latencyTable(ours, theirs),
      budgetTable(figures, ours),
    ].join("\n\n");
  } finally {
    for (const server of started) await server.dispose();
  }
}
