import { GRAPH_CRONS } from "../../../src/graph-crons.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { course, type Loss, type Place, plan } from "../../support/crash-points.ts";
import { until } from "../../support/gate.ts";
import { TestThread, type WireState } from "../../support/threads.ts";

/** What came of a course, in words that are the same whenever and wherever it is run. */
export interface Outcome {
  readonly values: unknown;
  readonly next: readonly string[];
  readonly questions: readonly unknown[];
  /** The checkpoints, the oldest first: how each came to be, and that each follows the one before. */
  readonly history: readonly string[];
  /** An alarm is set, and nothing has a due time. */
  readonly isArmedInVain: boolean;
  /** What the scenario itself has seen. */
  readonly seen: unknown;
}

export interface Scenario {
  readonly name: string;
  /** Does everything as a client would, whatever happens to the object meanwhile; answers what it has seen. */
  readonly play: (thread: TestThread, effects: Effects) => Promise<unknown>;
}

/** What nodes do outside, by the key that the other side gets. */
export class Effects {
  readonly #times = new Map<string, number>();

  /** For a node. */
  note(name: string, key: string): void {
    const effect = `${name} ${key}`;
    this.#times.set(effect, (this.#times.get(effect) ?? 0) + 1);
  }

  /** Distinct effects by name: how often each was really wanted. */
  wanted(): Readonly<Record<string, number>> {
    const names = Array.from(this.#times.keys(), (effect) => effect.split(" ")[0] ?? "");
    return Object.fromEntries(names.map((name) => [name, names.filter((each) => each === name).length]));
  }

  /** How often they were done more than once. */
  repeated(): number {
    return Array.from(this.#times.values()).reduce((sum, times) => sum + times - 1, 0);
  }
}

export interface Played {
  readonly outcome: Outcome;
  readonly effects: Effects;
  readonly places: readonly Place[];
  /** Whether the object was ended where it should be. */
  readonly isOver: boolean;
}

export async function played({ play }: Scenario, target?: Place & { readonly loss: Loss }): Promise<Played> {
  const thread = new TestThread();
  const name = objectName("", thread.id);
  plan(name, target, [objectName("", GRAPH_CRONS)]);
  const effects = new Effects();
  const seen = await play(thread, effects);
  await settled(thread);
  const outcome = await outcomeOf(thread, seen);
  return { outcome, effects, ...course(name) };
}

/** Something is due, and no alarm is set: nothing would come of it unless somebody called. */
class UnarmedError extends Error {}

/**
 * Lets time pass until nothing of the thread waits for it, but what is kept for a while. Nobody calls the thread meanwhile: what
 * is left to do, the alarm that the object itself has set does.
 */
export async function settled(thread: TestThread): Promise<void> {
  /** The handler of an alarm was ended: the platform calls it again. */
  let isRepeated = false;
  await until(async () => {
    try {
      if ((await thread.tables()).length === 0) return true;
      if ((await thread.timerKinds()).length === 0) return true;
      await thread.inside(async ({ storage }) => {
        if (isRepeated) await storage.setAlarm(1);
        if ((await storage.getAlarm()) === null) throw new UnarmedError("Nothing wakes the object.");
        storage.sql.exec("UPDATE timers SET due = 1 WHERE kind <> 'event_log'");
      });
      isRepeated = false;
    } catch (error) {
      if (error instanceof UnarmedError) throw error;
      // It was ended underway.
      return false;
    }
    await thread.fireAlarm().catch(() => (isRepeated = true));
    return false;
  }, 10_000);
}

async function outcomeOf(thread: TestThread, seen: unknown): Promise<Outcome> {
  const states = await historyOf(thread);
  const [head] = states;
  return {
    values: head?.values,
    next: head?.next ?? [],
    questions: head?.interrupts.map(({ value }) => value) ?? [],
    history: states.toReversed().map(labelOf),
    isArmedInVain: await isArmedInVain(thread),
    seen,
  };
}

async function isArmedInVain(thread: TestThread): Promise<boolean> {
  const hasTables = (await thread.tables()).includes("timers");
  const timers = hasTables ? await thread.sql("SELECT 1 FROM timers LIMIT 1") : [];
  return timers.length === 0 && (await thread.alarm()) !== null;
}

async function historyOf(thread: TestThread): Promise<readonly WireState[]> {
  if ((await thread.tables()).length === 0) return [];
  return thread.history("?limit=1000");
}

function labelOf(state: WireState, index: number, states: readonly WireState[]): string {
  const parent = states.findIndex(
    ({ checkpoint }) => checkpoint.checkpoint_id === state.parent_checkpoint?.checkpoint_id,
  );
  const { source, step } = state.metadata ?? {};
  return `${String(source)} ${String(step)} after ${parent === -1 ? "nothing" : index - parent === 1 ? "it" : parent}`;
}
