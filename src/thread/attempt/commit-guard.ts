/** What a commit of a run adds to the saver's own rows, in the same transaction. */
export interface CommitGuard {
  /** Throws when the commit must not happen. */
  check(): void;
  /** Whether anything goes with the next one. */
  readonly accompanies: boolean;
  /** Writes what goes with it. */
  accompany(): void;
  /** The commit has happened. */
  committed(kind: "checkpoint" | "task"): void;
}
