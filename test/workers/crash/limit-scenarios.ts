import type { RunAnswer } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";
import { insist, statusesOf } from "./client.ts";
import { input, spending, working } from "./graphs.ts";
import type { Scenario } from "./scenario.ts";

function limitsOf({ interrupts }: RunAnswer): unknown {
  return interrupts.map(({ value }) => (value as { limit: string }).limit);
}

/** Pauses, goes on with the same limits, pauses again, and goes on with none; each answer is given twice. */
function reaching(name: string, limits: object): Scenario {
  return {
    name: `a run that reaches a limit of its ${name}, twice`,
    play: async (thread, effects) => {
      deploy({ working: working(effects, spending) });
      const seen: unknown[] = [];
      let paused = await insist(() => thread.invoke({ ...input, limits }));
      for (const value of [true, {}]) {
        seen.push([paused.status, limitsOf(paused)]);
        const body = { interrupt_id: paused.interrupts[0]?.id, value };
        paused = await insist(() => thread.resume(body));
        seen.push((await insist(() => thread.resume(body))).run_id === paused.run_id);
      }
      return [seen, paused.status, paused.values["log"], await statusesOf(thread)];
    },
  };
}

/** What becomes of runs that may go so far only. */
export const LIMITS: readonly Scenario[] = [
  reaching("supersteps", { supersteps: 1 }),
  reaching("time", { seconds: 0.000_001 }),
  reaching("usage", { usage: { tokens: 1 } }),
];
