// `npm run bench` measures everything, `npm run bench -- node` one part; `--write` also puts the results into README.
import { benchInNode, benchInWorkerd } from "./engine/index.ts";
import { benchSuperstep } from "./superstep/index.ts";
import { describeMachine } from "./support/machine.ts";
import { writeResults } from "./support/readme.ts";
import { tableOf, type Result } from "./support/table.ts";

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

interface Part {
  readonly title: string;
  readonly run: () => Promise<Result[]>;
}

const parts: Readonly<Record<string, Part>> = {
  node: { title: "node, ms (both in memory)", run: benchInNode },
  workerd: { title: "workerd, ms (both in memory)", run: benchInWorkerd },
  superstep: { title: "workerd, ms (ours durable, theirs in memory)", run: benchSuperstep },
};

const words = process.argv.slice(2);
const isWritten = words.includes("--write");
const only = words.filter((word) => word !== "--write");
const unknown = only.filter((word) => !Object.hasOwn(parts, word));
if (unknown.length > 0)
  throw new Error(`There is no part "${unknown[0]}", only: ${Object.keys(parts).join(", ")}.`);

const chosen = Object.entries(parts).filter(([name]) => only.length === 0 || only.includes(name));
for (const [name, { title, run }] of chosen) {
  const machine = describeMachine();
  const text = `${machine}\n\n${tableOf(title, await run())}`;
  console.log(`${text}\n`);
  if (isWritten) writeResults(name, text);
}
