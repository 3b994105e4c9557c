/** How long the chats are. */
export const TURNS = [10, 100, 1000, 10_000] as const;

/** So many turns are timed together, the last before the figure is taken. */
export const TIMED_TURNS = 10;

/** A chat after so many turns. */
export interface ChatFigures {
  readonly turns: number;
  /** Of a turn, as an average of the last ones. */
  readonly milliseconds: number;
  /** What the rows of checkpoints and writes hold. */
  readonly bytes: number;
  /** The whole file of the database, where there is one. */
  readonly fileBytes?: number;
}

/** The reducer of a turn alone, on a list as it is after so many turns. */
export interface ReducerFigures {
  readonly turns: number;
  /** Of a turn. */
  readonly milliseconds: number;
}

export interface StateFigures {
  readonly checkpoints: number;
  /** The newest state, read by an object that remembers nothing. */
  readonly milliseconds: number;
}

export interface ForkFigures {
  readonly milliseconds: number;
  readonly bytes: number;
  readonly rows: number;
}
