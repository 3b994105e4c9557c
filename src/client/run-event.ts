import type { RunAnswer } from "../http/answers/run.ts";

/** An event of a run. Those of graphs inside nodes are named by the mode, and what leads to the graph. */
export type RunEvent<Values> = { readonly id: string | undefined } & (
  | {
      readonly event: "metadata";
      readonly data: { readonly run_id: string; readonly thread_id: string; readonly attempt: number };
    }
  | { readonly event: "values"; readonly data: Values }
  | { readonly event: "updates"; readonly data: Readonly<Record<string, unknown>> }
  | {
      readonly event: "custom" | "messages" | "tasks" | "checkpoints" | "debug" | "tools";
      readonly data: unknown;
    }
  | { readonly event: "end"; readonly data: Omit<RunAnswer, "thread_id" | "values"> }
  | { readonly event: "gap"; readonly data: { readonly next: string } }
  | { readonly event: `${string}|${string}` | `messages/${string}`; readonly data: unknown }
);
