// `npm run bench` measures everything, `npm run bench -- node` one part; `--write` also puts the results into README.
// The parts `storage` and `http` need `npm run bench:install` first.
import { benchDirectory } from "./directory/index.ts";
import { benchInNode, benchInWorkerd } from "./engine/index.ts";
import { benchSuperstep } from "./superstep/index.ts";
import { benchHttp } from "./http/index.ts";
import { benchMemory } from "./memory/index.ts";
import { benchStorage } from "./storage/index.ts";
import { describeMachine } from "./support/machine.ts";
import { writeResults } from "./support/readme.ts";
import { tableOf } from "./support/table.ts";

// Nothing may ask the network for anything while something is measured. The Workers tools would also record a trace of
// every statement of SQL, which a deployed Worker does not do: that alone can take more time than the statements.
Object.assign(process.env, {
  CI: "1",
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  X_LOCAL_OBSERVABILITY: "false",
  X_LOCAL_EXPLORER: "false",
  LANGSMITH_TRACING: "false",
});

/** Each answers with its tables. */
const parts: Readonly<Record<string, () => Promise<string>>> = {
  node: async () => tableOf("node, ms (both in memory)", await benchInNode()),
  workerd: async () => tableOf("workerd, ms (both in memory)", await benchInWorkerd()),
  superstep: async () => tableOf("workerd, ms (ours durable, theirs in memory)", await benchSuperstep()),
  directory: benchDirectory,
  storage: benchStorage,
  memory: benchMemory,
  http: benchHttp,
};

const words = process.argv.slice(2);
const isWritten = words.includes("--write");
const only = words.filter((word) => word !== "--write");
const unknown = only.filter((word) => !Object.hasOwn(parts, word));
if (unknown.length > 0)
  throw new Error(`There is no part "${unknown[0]}", only: ${Object.keys(parts).join(", ")}.`);

const chosen = Object.entries(parts).filter(([name]) => only.length === 0 || only.includes(name));
for (const [name, run] of chosen) {
  const machine = describeMachine();
  const text = `${machine}\n\n${await run()}`;
  console.log(`${text}\n`);
  if (isWritten) writeResults(name, text);
}
