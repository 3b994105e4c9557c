import type { StartRun, ThreadAddress } from "../../../src/thread/protocol.ts";

/** A run of the graph "graph", as the router asks a thread for one. */
export function startRun(address: ThreadAddress): StartRun {
  return {
    ...address,
    runId: crypto.randomUUID(),
    request: {
      config: {},
      graph: "graph",
      input: { kind: "input", value: { log: [] } },
      onInterrupted: "refuse",
      modes: [],
      subgraphs: false,
    },
  };
}
