import * as fc from "fast-check";
import { expect, it } from "vitest";
import { ours, theirs, type Library } from "./engine.ts";
import { buildOf, planWithGraphs, scriptOf, type Plan } from "./generated.ts";
import { idOf, Session } from "./session.ts";
import { holdsCommand, showSnapshot } from "./show.ts";

/** TIDEMARK_RUNS=5000 for a long search; TIDEMARK_SEED repeats one. */
const numRuns = Number(process.env["TIDEMARK_RUNS"] ?? 60);
const seed = process.env["TIDEMARK_SEED"];

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

interface Played {
  /** Graphs in parallel tasks make their checkpoints in no fixed order: without ids. */
  readonly steps: unknown;
  readonly history: readonly unknown[];
  /** Positions in the history at which a command is kept: see `holdsCommand`. */
  readonly commands: ReadonlySet<number>;
}

async function played(library: Library, { graph, steps }: Plan): Promise<Played> {
  const session = new Session(library, buildOf(graph), new library.MemorySaver());
  await scriptOf(steps)(session);
  const history = await session.history();
  const holding = new Set((await session.saved()).filter(holdsCommand).map((tuple) => tuple.checkpoint.id));
  return {
    steps: withoutIds(session.record),
    history: history.map((snapshot) => withoutIds(showSnapshot(snapshot))),
    commands: new Set(history.flatMap((snapshot, index) => (holding.has(idOf(snapshot)) ? [index] : []))),
  };
}

/** And the questions of a run, which LangGraph lists as they come, in one order. */
function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(UUID, "<id>");
  return JSON.parse(text, (key, part: unknown) =>
    key === "__interrupt__" && Array.isArray(part)
      ? part.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : part,
  ) as unknown;
}

it("any graph with graphs in its nodes: as in LangGraph", { timeout: 10_000 + numRuns * 300 }, async () => {
  await fc.assert(
    fc.asyncProperty(planWithGraphs, async (planned) => {
      const their = await played(theirs, planned);
      const our = await played(ours, planned);
      const compared = ({ history }: Played): unknown =>
        history.filter((_, index) => !their.commands.has(index));
      expect(our.steps).toEqual(their.steps);
      expect(compared(our)).toEqual(compared(their));
    }),
    { numRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  );
});
