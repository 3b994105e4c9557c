// The reference server as a process of its own: `node reference-process.ts PORT FOLDER`. It keeps all in memory, and writes
// it into the folder when it is told to end.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

interface ServerModule {
  readonly startServer: (options: object) => Promise<{ readonly cleanup: () => Promise<void> }>;
}

const [port = "", folder = ""] = process.argv.slice(2);
const require = createRequire(join(import.meta.dirname, "../package.json"));
const { startServer } = (await import(
  pathToFileURL(require.resolve("@langchain/langgraph-api/server")).href
)) as ServerModule;
const graphs = join(import.meta.dirname, "reference-graphs.ts");
const { cleanup } = await startServer({
  port: Number(port),
  host: "127.0.0.1",
  // As its own command line starts it.
  nWorkers: 10,
  cwd: folder,
  graphs: { loop: `${graphs}:loop`, question: `${graphs}:question` },
});
process.once("SIGTERM", () => {
  void cleanup().finally(() => process.exit(0));
});
