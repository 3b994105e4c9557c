import { describe, expect, it } from "vitest";
import { CRASH_POINTS, type CrashPoint } from "../../../src/thread/crash-points.ts";
import type { Crash } from "../../support/crash-matrix.ts";
import type { Loss, Place } from "../../support/crash-points.ts";
import { type Played, played, type Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";

/** In every scenario at every place, or at each point once. */
const isExhaustive = EVERY_CRASH;

const POINTS = Object.keys(CRASH_POINTS) as readonly CrashPoint[];
const ended = new Set<CrashPoint>();

describe.for(SCENARIOS)("$name", { timeout: isExhaustive ? 600_000 : 60_000 }, (scenario) => {
  it("comes to the same wherever the object is ended", async ({ task }) => {
    const undisturbed = await played(scenario);
    const crashes: Crash[] = [];
    for (const [place, loss] of ends(undisturbed)) {
      const crash = await compare(scenario, undisturbed, place, loss);
      if (crash !== undefined) crashes.push(crash);
    }
    task.meta.crashes = crashes;
    const points = new Set(undisturbed.places.map(({ point }) => point));
    task.meta.scenario = { name: scenario.name, points: POINTS.filter((point) => points.has(point)) };
  });
});

/** Where the object is to be ended, and how. */
function ends({ places }: Played): readonly (readonly [Place, Loss])[] {
  if (isExhaustive) return places.flatMap((place) => [[place, "lost"] as const, [place, "kept"] as const]);
  return places
    .filter(({ point, time }) => time === 1 && !ended.has(point))
    .map((place) => [place, "lost"] as const);
}

/** Undefined when the object did not come there: what goes by time may be earlier or later. */
async function compare(
  scenario: Scenario,
  undisturbed: Played,
  place: Place,
  loss: Loss,
): Promise<Crash | undefined> {
  const where = `${place.point}, time ${place.time}, ${loss}`;
  const disturbed = await played(scenario, { ...place, loss });
  expect({ where, ...disturbed.outcome }).toEqual({ where, ...undisturbed.outcome });
  expect({ where, ...disturbed.effects.wanted() }).toEqual({ where, ...undisturbed.effects.wanted() });
  // One end: what went on then, side by side, is done once more at most, under the same keys.
  const repeated = disturbed.effects.repeated() - undisturbed.effects.repeated();
  expect({ where, isDoneOver: repeated > 2 }).toEqual({ where, isDoneOver: false });
  if (!disturbed.isOver) return undefined;
  ended.add(place.point);
  return { point: place.point, scenario: scenario.name, repeated };
}

describe("the points", () => {
  it("are all reached, and the object was ended at each", () => {
    expect(POINTS.filter((point) => !ended.has(point))).toEqual([]);
  });
});
