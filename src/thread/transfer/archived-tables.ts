/** The tables that are moved with a thread, each after those that it refers to. */
export const ARCHIVED_TABLES = [
  "namespaces",
  "checkpoints",
  "writes",
  "blobs",
  "parts",
  "runs",
  "answers",
  "received_events",
  "limit_question",
] as const;

/** Columns that say whose rows these are: they get the values of the thread that the rows are moved to. */
export const OWNER_COLUMNS: readonly string[] = ["tenant", "thread_id"];

/** The other columns of the thread's own row that are not moved. */
export const UNMOVED_THREAD_COLUMNS: readonly string[] = [
  "id",
  "deleting",
  "version",
  "last_place",
  "ttl",
  ...OWNER_COLUMNS,
];
