import * as fc from "fast-check";
import { expect, it } from "vitest";
import { search } from "../../support/search.ts";
import { ours, theirs, type Library } from "./engine.ts";
import {
  buildOf,
  compileOptionsOf,
  hasIdsOfItsOwn,
  hidesTasks,
  losesPlaces,
  plan,
  scriptOf,
  type Plan,
} from "./generated.ts";
import { compare, idOf, Session } from "./session.ts";
import { holdsCommand, showSnapshot, UUID } from "./show.ts";

interface Played {
  readonly steps: unknown;
  readonly history: readonly unknown[];
  /** Positions in the history at which a command is kept: see `holdsCommand`. */
  readonly commands: ReadonlySet<number>;
}

async function played(library: Library, planned: Plan): Promise<Played> {
  const saver = new library.MemorySaver();
  const options = compileOptionsOf(planned);
  const session = new Session(library, buildOf(planned.graph), saver, undefined, options);
  await scriptOf(planned)(session);
  const history = await session.history();
  const holding = new Set((await session.saved()).filter(holdsCommand).map((tuple) => tuple.checkpoint.id));
  return {
    steps: withoutIds(session.record),
    history: history.map((snapshot) => withoutIds(showSnapshot(snapshot))),
    commands: new Set(history.flatMap((snapshot, index) => (holding.has(idOf(snapshot)) ? [index] : []))),
  };
}

/** The questions of a run in one order: LangGraph lists them as they come ("Answers" in differences.md). */
function inOneOrder(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    key === "__interrupt__" && Array.isArray(part)
      ? part.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : part,
  ) as unknown;
}

function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(UUID, "<id>")) as unknown;
}

/** Without ids: graphs in parallel tasks make their checkpoints in no fixed order. */
/** What runs gave, and what became of the thread: without what is read of it in between. */
function withoutStates({ steps, history }: { steps: unknown; history: unknown }): unknown {
  const given = (steps as object[]).filter((step) => !("state" in step));
  const results = (history as Record<string, unknown>[]).map(({ source, step, values }) => ({
    source,
    step,
    values,
  }));
  return { given, results };
}

function withoutPlaces(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    key === "state" && Object.hasOwn(Object(part), "checkpoint_ns") ? undefined : part,
  ) as unknown;
}

async function compareWithoutIds(planned: Plan): Promise<{ ours: unknown; theirs: unknown }> {
  const their = await played(theirs, planned);
  const our = await played(ours, planned);
  const shown = ({ steps, history }: Played): unknown => {
    const kept = { steps, history: history.filter((_, index) => !their.commands.has(index)) };
    if (hidesTasks(planned)) return withoutStates(kept);
    return losesPlaces(planned) ? withoutPlaces(kept) : kept;
  };
  return { ours: shown(our), theirs: shown(their) };
}

const { numRuns, ...options } = search({ short: 300, long: 5000 });

it(`${numRuns} random graphs: as in LangGraph`, { timeout: 20_000 + numRuns * 300 }, async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (planned) => {
      const { ours: our, theirs: their } =
        hasIdsOfItsOwn(planned) || hidesTasks(planned)
          ? await compareWithoutIds(planned)
          : await compare(buildOf(planned.graph), scriptOf(planned), compileOptionsOf(planned));
      // Equal texts are equal records; only others are worth the time to compare them part by part.
      if (JSON.stringify(our) !== JSON.stringify(their)) expect(inOneOrder(our)).toEqual(inOneOrder(their));
    }),
    { numRuns, ...options },
  );
});
