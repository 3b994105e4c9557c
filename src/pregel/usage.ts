import { isObject, isRecord } from "../values/containers.ts";
import type { CheckpointMetadata } from "../checkpoint/types.ts";
import { InvalidArgumentError } from "../errors.ts";
import { setOwn } from "../values/set-own.ts";
import type { PendingWrites } from "./pending-writes.ts";

/** How much was used of what is counted, by names of the caller's own: tokens, money. */
export type Usage = Readonly<Record<string, number>>;

/** What a task has used: by the namespaces of the graphs that it runs, and by itself under "". */
type TaskUsage = Readonly<Record<string, Usage>>;

const ITSELF = "";
const NOTHING: Usage = Object.freeze({});

/**
 * What has been used on the way to where a graph stands: up to its checkpoint, whose metadata say so, and by the tasks
 * after it, whose rows do. It counts what was spent, also by attempts that failed.
 */
export class UsageLedger {
  readonly #tasks = new Map<string, TaskUsage>();
  #total: Usage;

  constructor(before: Usage = NOTHING, tasks: readonly (readonly [taskId: string, used: unknown])[] = []) {
    this.#total = before;
    for (const [taskId, used] of tasks) {
      if (!isObject(used)) continue;
      for (const [namespace, usage] of Object.entries(used)) this.#add(taskId, namespace, usageIn(usage));
    }
  }

  get total(): Usage {
    return this.#total;
  }

  /** All that a task has used at this checkpoint, as its row keeps it. */
  ofTask(taskId: string): TaskUsage | undefined {
    return this.#tasks.get(taskId);
  }

  add(taskId: string, used: Usage): void {
    this.#add(taskId, ITSELF, used);
  }

  /** A graph inside the task has used so much in all; returns what is new of it. It may have begun anew, and is at less. */
  setNested(taskId: string, namespace: string, total: Usage): Usage {
    const added = difference(total, this.#tasks.get(taskId)?.[namespace] ?? NOTHING);
    this.#add(taskId, namespace, added);
    return added;
  }

  /** Where the graph stands at its next checkpoint. */
  next(): UsageLedger {
    return new UsageLedger(this.#total);
  }

  #add(taskId: string, namespace: string, used: Usage): void {
    this.#total = sum(this.#total, used);
    const task = { ...this.#tasks.get(taskId) };
    setOwn(task, namespace, sum(task[namespace] ?? NOTHING, used));
    this.#tasks.set(taskId, task);
  }
}

/** Undefined where nothing has been used, which is most often. */
export function ledgerAt(
  metadata: CheckpointMetadata | undefined,
  pending: PendingWrites,
): UsageLedger | undefined {
  const before = usageIn(metadata?.["usage"]);
  const tasks = pending.isEmpty ? [] : pending.usages();
  return before === NOTHING && tasks.length === 0 ? undefined : new UsageLedger(before, tasks);
}

/** Throws for what is no usage: it comes from nodes. */
export function requireUsage(usage: unknown): asserts usage is Usage {
  if (isRecord(usage) && Object.entries(usage).every(([name, used]) => isName(name) && isAmount(used)))
    return;
  throw new InvalidArgumentError(
    "invalid_usage",
    "What a node reports to have used must be an object of finite numbers from 0 on, by name: { tokens: 12 }.",
  );
}

/** What is used now and was not before. */
export function difference(now: Usage, before: Usage): Usage {
  const added: Record<string, number> = {};
  for (const [name, used] of Object.entries(now)) {
    const more = used - (before[name] ?? 0);
    if (more > 0) added[name] = more;
  }
  return added;
}

function sum(left: Usage, right: Usage): Usage {
  const total: Record<string, number> = { ...left };
  for (const [name, used] of Object.entries(right)) total[name] = (total[name] ?? 0) + used;
  return total;
}

/** Metadata may have something else of the caller's under this name. */
function usageIn(value: unknown): Usage {
  if (!isObject(value)) return NOTHING;
  const entries = Object.entries(value).filter(([name, used]) => isName(name) && isAmount(used));
  // Checked right before.
  return entries.length === 0 ? NOTHING : (Object.fromEntries(entries) as Usage);
}

export function isName(name: string): boolean {
  return name !== "" && name !== "__proto__";
}

function isAmount(used: unknown): used is number {
  return typeof used === "number" && Number.isFinite(used) && used >= 0;
}
