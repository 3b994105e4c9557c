import { vi } from "vitest";
import { Gate } from "./gate.ts";

/** Whoever lets other calls in waits, until `vi.restoreAllMocks`. */
export function gateOfTurns(): Gate {
  const gate = new Gate();
  const wait = scheduler.wait.bind(scheduler);
  vi.spyOn(scheduler, "wait").mockImplementation((time) => (time === 0 ? gate.pass() : wait(time)));
  return gate;
}
