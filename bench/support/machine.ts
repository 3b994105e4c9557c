import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg } from "node:os";

const require = createRequire(import.meta.url);

/** What the figures depend on. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const versions = ["workerd", "wrangler", "@langchain/langgraph"].map(
    (name) => `${name} ${versionOf(name)}`,
  );
  return [
    `${availableParallelism()} cores (${cpu?.model.trim() ?? "unknown"}), load ${loadavg()[0]?.toFixed(1)}`,
    `node ${process.versions.node}, ${versions.join(", ")}`,
    "Other work on the machine changes the times; the ratios, of runs in turns, much less.",
  ].join("\n");
}

function versionOf(name: string): string {
  // The package file itself may not be exported; the folder of the module is found all the same.
  const paths = require.resolve.paths(name) ?? [];
  for (const path of paths) {
    try {
      const { version } = require(`${path}/${name}/package.json`) as { readonly version: string };
      return version;
    } catch {
      continue;
    }
  }
  return "unknown";
}
