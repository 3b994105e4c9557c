import * as v from "valibot";
import { Checkpoint, Interrupt, JsonObject, Time, Waiting } from "./parts.ts";

export interface StateShape {
  readonly values: unknown;
  readonly next: string[];
  readonly tasks: TaskShape[];
  readonly metadata: Record<string, unknown> | null;
  readonly created_at: string | null;
  readonly checkpoint: v.InferOutput<typeof Checkpoint> | null;
  readonly parent_checkpoint: v.InferOutput<typeof Checkpoint> | null;
  readonly interrupts: v.InferOutput<typeof Interrupt>[];
  readonly waiting?: v.InferOutput<typeof Waiting>[] | undefined;
}

export interface TaskShape {
  readonly id: string;
  readonly name: string;
  readonly path: (string | number)[];
  readonly error: string | null;
  readonly interrupts: v.InferOutput<typeof Interrupt>[];
  readonly waiting?: v.InferOutput<typeof Waiting>[] | undefined;
  readonly result: unknown;
  readonly checkpoint: v.InferOutput<typeof Checkpoint> | null;
  readonly state: StateShape | null;
}

const Task: v.GenericSchema<TaskShape> = v.object({
  id: v.string(),
  name: v.string(),
  path: v.array(v.union([v.string(), v.number()])),
  error: v.pipe(
    v.nullable(v.string()),
    v.description(
      "What the task has failed with, as JSON: `name` and `message`, and `code`, `details` and causes where there are any.",
    ),
  ),
  interrupts: v.array(Interrupt),
  waiting: v.optional(v.array(Waiting)),
  result: v.pipe(v.unknown(), v.description("What the task has written, when it has ended.")),
  checkpoint: v.nullable(Checkpoint),
  state: v.pipe(
    v.nullable(v.lazy(() => State)),
    v.description("Of a graph inside the task, when subgraphs are asked for."),
  ),
});

const entries = {
  values: v.unknown(),
  next: v.pipe(v.array(v.string()), v.description("The nodes that run next.")),
  tasks: v.array(Task),
  metadata: v.nullable(JsonObject),
  created_at: v.nullable(Time),
  checkpoint: v.pipe(v.nullable(Checkpoint), v.description("Null before the first one.")),
  parent_checkpoint: v.nullable(Checkpoint),
  interrupts: v.array(Interrupt),
  waiting: v.optional(v.array(Waiting)),
};

export const State: v.GenericSchema<StateShape> = v.object(entries);

/** A state with only the parts that were selected; `values` may then have only some of its keys. */
export const StatePart = v.partial(v.object(entries));

export const Edited = v.object({ checkpoint: Checkpoint });

export type State = StateShape;
export type Edited = v.InferOutput<typeof Edited>;
