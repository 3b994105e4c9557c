import { uuid5 } from "../../uuid5.ts";
import { decode, encode } from "../../checkpoint/encoding.ts";
import type { Interrupt } from "../../interrupt-error.ts";
import type { LimitReached, RunLimits } from "../../pregel/limits.ts";
import type { LimitQuestionRow } from "./limit-question-rows.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** What a thread asks whose run has reached a limit. No task asks it, so that the engine knows nothing of it. */
export interface LimitQuestion {
  readonly id: string;
  readonly checkpointId: string;
  readonly reached: LimitReached;
  /** Of the run that has reached one of them. */
  readonly limits: RunLimits;
  /** The run that has taken the answer. */
  readonly takenBy: string | undefined;
}

/** As it is stored with the end of its run. */
export async function stageQuestion(
  { serde }: ThreadStorage,
  { runId, checkpointId }: { readonly runId: string; readonly checkpointId: string },
  asked: Pick<LimitQuestion, "reached" | "limits">,
): Promise<Omit<LimitQuestionRow, "takenBy">> {
  const interruptId = uuid5(`limit:${runId}`, checkpointId).replaceAll("-", "");
  return { interruptId, checkpointId, runId, body: await encode(serde, asked) };
}

/** The question that a run finds: one that stands, or that it has taken itself. */
export async function questionFor(
  storage: ThreadStorage,
  threadId: string,
  runId?: string,
): Promise<LimitQuestion | undefined> {
  const row = storage.limitQuestion.get();
  if (row === undefined) return undefined;
  const { interruptId, checkpointId, body, takenBy } = row;
  const stands = takenBy === undefined && storage.saver.head(threadId)?.id === checkpointId;
  if (!stands && (takenBy === undefined || takenBy !== runId)) return undefined;
  // Written by `stageQuestion`.
  const asked = (await decode(storage.serde, body)) as Pick<LimitQuestion, "reached" | "limits">;
  return { id: interruptId, checkpointId, takenBy, ...asked };
}

/** The questions of the thread's own, as callers see them. */
export async function ownInterrupts(storage: ThreadStorage, threadId: string): Promise<readonly Interrupt[]> {
  const question = await questionFor(storage, threadId);
  return question === undefined ? [] : [shownQuestion(question)];
}

export function shownQuestion({ id, reached }: Pick<LimitQuestion, "id" | "reached">): Interrupt {
  return { id, value: { type: "limit_reached", ...reached } };
}
