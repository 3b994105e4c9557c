// `npm run bench` measures everything, `npm run bench -- engine` or `-- superstep` one part.
import { benchEngine } from "./engine/index.ts";
import { benchSuperstep } from "./superstep/index.ts";
import { describeMachine } from "./support/machine.ts";
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
  superstep: { title: "workerd, ms (ours durable, theirs in memory)", run: benchSuperstep },
  engine: { title: "node, ms (both in memory)", run: benchEngine },
};

const [only] = process.argv.slice(2);
const chosen = Object.entries(parts).filter(([name]) => only === undefined || only === name);
if (chosen.length === 0)
  throw new Error(`There is no part "${only}", only: ${Object.keys(parts).join(", ")}.`);

console.log(describeMachine());
for (const [, { title, run }] of chosen) console.log(`\n${tableOf(title, await run())}`);
