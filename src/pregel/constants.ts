import { SCHEDULED } from "../checkpoint/constants.ts";

/** Names that the engine reserves. They are LangGraph's, so that threads and graphs can move between the two. */

export { ERROR, INTERRUPT, NULL_TASK_ID, RESUME, SCHEDULED, TASKS } from "../checkpoint/constants.ts";

/** The one channel of a state that is one value, instead of an object of keys. */
export const ROOT = "__root__";
export const START = "__start__";
export const END = "__end__";
/** Nodes with this tag appear in no stream. */
export const TAG_HIDDEN = "langsmith:hidden";
/** The writer of a run's input. */
export const INPUT = "__input__";
/** A finished task that wrote nothing has this one write, which marks it as done. */
export const NO_WRITES = "__no_writes__";
/** The kind of task that a Send starts. */
export const PUSH = "__pregel_push";
/** The kind of task that a channel triggers. */
export const PULL = "__pregel_pull";
/**
 * A write that says what a task has used. It is the one name with a place of its own in a task's row that LangGraph never
 * writes, so that every saver replaces what the row said before.
 */
export const USAGE = SCHEDULED;
/** In results and streams: what a run waits for that ended without its end, and that nobody is asked. */
export const WAITING = "__waiting__";
/** A failed task has this write when an error handler takes its place; its value is the node's name. */
export const ERROR_SOURCE_NODE = "__error_source_node__";
/** In the `configurable` of an error handler: the `NodeError` that it handles. */
export const NODE_ERROR = "__pregel_node_error";
/** A write that holds what a `task()` came to. */
export const RETURN = "__return__";
/** A write that says which tasks of an earlier branch those of a checkpoint are in the place of. */
export const ORIGINS = "__origins__";
/** Key of the metadata: the task that a checkpoint of a shared history was made in. */
export const PARENT_TASK = "parent_task";
/** `asNode` of an update that copies a checkpoint. */
export const COPY = "__copy__";
/** The channel that holds what an entrypoint keeps for its next run. */
export const PREVIOUS = "__previous__";
/** `versions_seen` of this name: the versions at the last update of the state from outside. */
export const UPDATE_TRIGGER = "__interrupt__";
/** A channel `branch:to:<node>` asks that node to run. */
export const BRANCH_TO = "branch:to:";
/** Separates the graphs in a checkpoint namespace, and a node's name from its task id. */
export const NAMESPACE_SEPARATOR = "|";
export const NAMESPACE_END = ":";
