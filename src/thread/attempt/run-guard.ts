import type { RunStart } from "../../pregel/limits.ts";
import type { EventLog } from "../events/event-log.ts";
import type { CrashPoint } from "../crash-points.ts";
import type { RunRow } from "../runs/run-row.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { CommitGuard } from "./commit-guard.ts";

export interface RunGuardParts {
  readonly storage: ThreadStorage;
  readonly events: Pick<EventLog, "noteBegin">;
  readonly reached: (point: CrashPoint) => void;
}

/** Goes with every commit of a run: only its newest attempt may commit, and the first commit of one is progress. */
export class RunGuard implements CommitGuard {
  readonly #run: RunRow;
  readonly #storage: ThreadStorage;
  readonly #events: RunGuardParts["events"];
  readonly #reached: RunGuardParts["reached"];
  /** Set from the commit on that holds the run's input. */
  #lastStep: number | undefined;
  #firstStep = 0;
  #start: RunStart | undefined;
  readonly #isAnswer: boolean;
  #isNoted = false;
  #isInputNext = false;

  /** `isAnswer`: the run answers the question of the thread's own. */
  constructor(run: RunRow, { storage, events, reached }: RunGuardParts, isAnswer: boolean) {
    this.#run = run;
    this.#storage = storage;
    this.#events = events;
    this.#reached = reached;
    this.#isAnswer = isAnswer;
  }

  /** The next commit is the one that holds the run's input. */
  applyInput(lastStep: number, start: RunStart | undefined, step: number): void {
    this.#lastStep = lastStep;
    this.#firstStep = step;
    this.#start = start;
    this.#isNoted = false;
    this.#isInputNext = true;
  }

  check(): void {
    this.#storage.fence.check(this.#run);
  }

  get accompanies(): boolean {
    return !this.#isNoted;
  }

  accompany(): void {
    if (this.#isNoted) return;
    const { runs, limitQuestion } = this.#storage;
    if (this.#lastStep === undefined) return runs.noteProgress(this.#run.id);
    runs.noteInput(this.#run.id, this.#lastStep, this.#firstStep, this.#start);
    if (this.#isAnswer) limitQuestion.take(this.#run.id);
  }

  committed(kind: "checkpoint" | "task"): void {
    this.#isNoted = true;
    if (this.#isInputNext) this.#events.noteBegin();
    if (kind === "task") this.#reached("run.task_written");
    else this.#reached(this.#isInputNext ? "run.input_applied" : "run.committed");
    this.#isInputNext = false;
  }
}
