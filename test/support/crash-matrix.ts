import { CRASH_POINTS, type CrashPoint } from "../../src/thread/crash-points.ts";

/** An object that was ended at a point, and came to the same as one that was not. */
export interface Crash {
  readonly point: CrashPoint;
  readonly scenario: string;
  /** How many effects of nodes were done once more. */
  readonly repeated: number;
}

/** A scenario, and the points that it came by. */
export interface CrashScenario {
  readonly name: string;
  readonly points: readonly CrashPoint[];
}

declare module "vitest" {
  interface TaskMeta {
    /** Of a scenario that has passed. */
    scenario?: CrashScenario;
    crashes?: readonly Crash[];
  }
}

const HEAD = `# What becomes of a thread whose object ends

The code names every place between two durable steps at which an object may end
([crash-points.ts](../src/thread/crash-points.ts)). A test plays scenarios, ends the object at each of these places that a
scenario comes by, each time that it comes by, once in the very turn and once when the write is durable, and compares with the
same scenario left alone: state, history, questions, statuses, answers to the caller, and effects outside. When a scenario has
made its calls, nobody calls any more: what is left to do, the alarm does that the object has set itself, and a scenario fails
where something is due without one. This page is written by \`npm run crash-matrix\` from what the test saw.`;

const POINTS = Object.keys(CRASH_POINTS) as readonly CrashPoint[];

/** The page. */
export function crashMatrix(scenarios: readonly CrashScenario[], crashes: readonly Crash[]): string {
  const named = scenarios.map(({ name }, index) => `${index + 1}. ${name}`);
  const rows = POINTS.map((point) => {
    const here = crashes.filter((crash) => crash.point === point);
    const numbers = scenarios.flatMap(({ name }, index) =>
      here.some(({ scenario }) => scenario === name) ? [index + 1] : [],
    );
    return `| \`${point}\` | ${CRASH_POINTS[point]} | ${numbers.join(", ")} | ${here.length} | ${outcomeOf(here)} |`;
  });
  const table = [
    "| point | what is stored there | scenarios | ended so often | what it came to |",
    "|---|---|---|---|---|",
    ...rows,
  ];
  return (
    [HEAD, "## Scenarios", named.join("\n"), "## Points", table.join("\n"), ""].join("\n\n").trimEnd() + "\n"
  );
}

/** What of a page must be what a run of the test says: its points and scenarios. */
export function outlineOf(page: string): readonly string[] {
  return page
    .split("\n")
    .filter((line) => /^(\d+\. |\| `)/.test(line))
    .map((line) => line.split("|").slice(0, 3).join("|"));
}

function outcomeOf(crashes: readonly Crash[]): string {
  const most = Math.max(0, ...crashes.map(({ repeated }) => repeated));
  const times = crashes.filter(({ repeated }) => repeated > 0).length;
  if (most === 0) return "the same; nothing done again";
  const again = most === 1 ? "one effect" : `up to ${most} effects`;
  return `the same; ${times} times ${again} done again, under the same key`;
}
