/** The object that keeps the crons of a tenant that belong to no thread, and keys of calls. No caller can name a thread so. */
export const GRAPH_CRONS = ".";
