/** Names of writes that are not channels, and ids of writers that are not tasks. They are LangGraph's. */

export const ERROR = "__error__";
export const SCHEDULED = "__scheduled__";
export const INTERRUPT = "__interrupt__";
export const RESUME = "__resume__";
/** The channel of Sends that the next superstep executes. */
export const TASKS = "__pregel_tasks";

/** The writer of a run's answers and of what no task wrote. */
export const NULL_TASK_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Key of the metadata of a checkpoint whose parent was removed: the ids of the checkpoints before it, some of them gone,
 * to which kept checkpoints of nested graphs belong.
 */
export const PAST = "past";

/**
 * Fixed positions in a task's list of writes: a later write on one of these replaces the earlier one, while an
 * ordinary write (position 0 and up) is kept as it was first stored.
 */
export const WRITES_IDX_MAP: Readonly<Record<string, number>> = Object.freeze({
  [ERROR]: -1,
  [SCHEDULED]: -2,
  [INTERRUPT]: -3,
  [RESUME]: -4,
});
