import { LIMITS } from "./limit-scenarios.ts";
import { RUNS } from "./run-scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { THREADS } from "./thread-scenarios.ts";
import { WAITS } from "./wait-scenarios.ts";

export const SCENARIOS: readonly Scenario[] = [...RUNS, ...LIMITS, ...WAITS, ...THREADS];
