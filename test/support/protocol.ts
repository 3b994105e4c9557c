import { eventsOf } from "./events.ts";
import { json, type TestThread } from "./threads.ts";

/** LangGraph's protocol of threads, as its clients speak it. */

export interface ThreadEvent {
  readonly type: "event";
  readonly event_id: string;
  readonly seq: number;
  readonly method: string;
  readonly params: {
    readonly namespace: readonly string[];
    readonly timestamp: number;
    readonly node?: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

export interface CommandAnswer {
  readonly type: "success" | "error";
  readonly id: number | null;
  readonly result?: { readonly run_id: string } & Readonly<Record<string, unknown>>;
  readonly meta?: { readonly thread_id: string; readonly applied_through_seq?: number };
  readonly error?: string;
  readonly code?: string;
}

export const ALL = [
  "values",
  "updates",
  "messages",
  "tools",
  "lifecycle",
  "input",
  "checkpoints",
  "tasks",
  "custom",
];

let lastId = 0;

export async function command(
  thread: TestThread,
  method: string,
  params: object = {},
): Promise<CommandAnswer> {
  const body = { id: ++lastId, method, params };
  return (await json(thread.post("/commands", body))) as CommandAnswer;
}

/** Starts a run; its id. */
export async function start(thread: TestThread, input: unknown, params: object = {}): Promise<string> {
  const { result } = await command(thread, "run.start", { assistant_id: "graph", input, ...params });
  if (result === undefined) throw new Error("The run was not started.");
  return result.run_id;
}

/** The events of a thread until the one that is wanted last, which comes too. */
export async function eventsUntil(
  thread: TestThread,
  isLast: (event: ThreadEvent) => boolean,
  filter: object = {},
): Promise<ThreadEvent[]> {
  const response = await thread.post("/stream/events", { channels: ALL, ...filter });
  if (!response.ok) throw new Error(await response.text());
  const events: ThreadEvent[] = [];
  for await (const { data } of eventsOf(response)) {
    const event = data as ThreadEvent;
    events.push(event);
    if (isLast(event)) break;
  }
  return events;
}

const TERMINAL = new Set<unknown>(["completed", "failed", "interrupted"]);

/** A run has ended: how many of them are waited for. */
export function ends(count = 1): (event: ThreadEvent) => boolean {
  let left = count;
  return ({ method, params: { namespace, data } }) => {
    if (method === "lifecycle" && namespace.length === 0 && TERMINAL.has(data["event"])) left -= 1;
    return left === 0;
  };
}

/** What an event is, in a word. */
export function summary({ method, params: { namespace, data } }: ThreadEvent): string {
  const detail = method === "lifecycle" || method === "messages" ? `:${String(data["event"])}` : "";
  const where = namespace.map((part) => part.split(":", 1)[0]).join("|");
  return `${method}${detail}${where === "" ? "" : ` in ${where}`}`;
}
