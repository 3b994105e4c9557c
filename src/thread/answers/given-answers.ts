import type { SerializerProtocol } from "../../checkpoint/serde/protocol.ts";
import { answersOf } from "../../named-answers.ts";
import { stableText } from "../../pregel/stable-text.ts";
import { toHex } from "../../hex.ts";
import { contentHashes, type ContentHashes } from "../idempotency/content-hashes.ts";
import type { RequestedInput } from "../runs/run-request.ts";

/** An answer that a call gives to a question, by the id of that. */
export interface GivenAnswer {
  readonly interruptId: string;
  readonly value: unknown;
  /** What the call writes and where it goes: with something else it is another answer. */
  readonly beside?: unknown;
}

/** The answers of a call that names their questions. */
export function givenAnswers(input: RequestedInput): readonly GivenAnswer[] {
  if (input.kind === "answers") return input.answers.map(([interruptId, value]) => ({ interruptId, value }));
  if (input.kind !== "command") return [];
  const { resume, update, goto } = input;
  const beside = update === undefined && goto.length === 0 ? undefined : [update, goto];
  return [...(answersOf(resume) ?? [])].map(([interruptId, value]) => ({ interruptId, value, beside }));
}

/** How an answer is recorded: equal for equal ones. */
export async function answerHashes(
  serde: SerializerProtocol,
  { value, beside }: Pick<GivenAnswer, "value" | "beside">,
): Promise<ContentHashes> {
  const texts = beside === undefined ? [value] : [value, beside];
  const bytes = new TextEncoder().encode(texts.map(stableText).join("\n"));
  return contentHashes(serde, toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))));
}
