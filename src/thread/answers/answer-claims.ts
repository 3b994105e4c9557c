import type { AnswerRecord } from "./answer-rows.ts";
import type { ContentHashes } from "../idempotency/content-hashes.ts";
import { interruptAnswered } from "../errors.ts";
import { answerHashes, givenAnswers } from "./given-answers.ts";
import type { StartRun } from "../runs/run-protocol.ts";
import type { StateReader } from "../state/state-reader.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** An answer that a call gives to a question. */
interface Claim {
  readonly interruptId: string;
  readonly hashes: ContentHashes;
}

/** The runs that count no more, by question. */
type Reopened = ReadonlyMap<string, ReadonlySet<string>>;

/** What a claim comes to: it is the first answer, or the same as one that a run has, or it comes too late. */
type Verdict =
  | { readonly kind: "first" }
  | { readonly kind: "same"; readonly record: AnswerRecord }
  | { readonly kind: "late"; readonly record: AnswerRecord };

/**
 * The answers of one call. The first answer to a question wins. The same answer again is the same call again: it is led to
 * the run that the first one has started. Any other is refused, and told who has answered.
 */
export class AnswerClaims {
  readonly #storage: ThreadStorage;
  readonly #start: StartRun;
  readonly #claims: readonly Claim[];
  /**
   * Questions that are open although they were answered once, as the thread has gone back to before; with the runs that had
   * answered them until then. An answer that has come since is not among those: it is the first.
   */
  readonly #reopened: Reopened;

  private constructor(storage: ThreadStorage, start: StartRun, claims: readonly Claim[], reopened: Reopened) {
    this.#storage = storage;
    this.#start = start;
    this.#claims = claims;
    this.#reopened = reopened;
  }

  static async of(storage: ThreadStorage, states: StateReader, start: StartRun): Promise<AnswerClaims> {
    const claims = await Promise.all(
      givenAnswers(start.request.input).map(async (answer) => ({
        interruptId: answer.interruptId,
        hashes: await answerHashes(storage.serde, answer),
      })),
    );
    return new AnswerClaims(storage, start, claims, await reopenedOf(storage, states, start, claims));
  }

  /** The run that has given these very answers, undefined when they are the first. Refuses all others. */
  winner(): string | undefined {
    const verdicts = this.#claims.map((claim) => this.#verdict(claim));
    const records = verdicts.flatMap((verdict) => (verdict.kind === "first" ? [] : [verdict.record]));
    const [first] = records;
    if (first === undefined) return undefined;
    const areAllSame = verdicts.every(
      (verdict) => verdict.kind === "same" && verdict.record.runId === first.runId,
    );
    if (areAllSame && this.#storage.runs.get(first.runId) !== undefined) return first.runId;
    throw interruptAnswered(records);
  }

  /** Writes down who has won, in the transaction that puts the run into the queue. */
  record(now: number): void {
    const { runId, threadId, request } = this.#start;
    for (const { interruptId, hashes } of this.#claims) {
      this.#storage.answers.insert({
        interruptId,
        checkpointId: request.checkpointId ?? this.#storage.saver.head(threadId)?.id ?? "",
        hash: hashes.hash,
        runId,
        answeredAt: now,
        answeredBy: request.answeredBy,
        onBehalfOf: request.onBehalfOf,
      });
    }
  }

  #verdict({ interruptId, hashes: { hash, earlier } }: Claim): Verdict {
    const gone = this.#reopened.get(interruptId);
    const records = this.#storage.answers.of(interruptId).filter(({ runId }) => gone?.has(runId) !== true);
    const named = this.#start.request.checkpointId;
    const same = records.findLast(
      (record) =>
        (record.hash === hash || earlier.includes(record.hash)) &&
        (named === undefined || record.checkpointId === named),
    );
    if (same !== undefined) return { kind: "same", record: same };
    const [record] = records;
    // An older checkpoint that is named may be answered anew: that makes a branch.
    return record === undefined || named !== undefined ? { kind: "first" } : { kind: "late", record };
  }
}

async function reopenedOf(
  storage: ThreadStorage,
  states: StateReader,
  { threadId, request }: StartRun,
  claims: readonly Claim[],
): Promise<Reopened> {
  if (request.checkpointId !== undefined) return new Map();
  const ended = claims.flatMap(({ interruptId }) => {
    const runIds = storage.answers.of(interruptId).map(({ runId }) => runId);
    const areEnded = runIds.length > 0 && runIds.every((runId) => !isUnderWay(storage, runId));
    return areEnded ? [[interruptId, new Set(runIds)] as const] : [];
  });
  if (ended.length === 0) return new Map();
  const { interrupts, waiting = [] } = await states.standing(threadId);
  const open = new Set([...interrupts, ...waiting].map(({ id }) => id));
  return new Map(ended.filter(([interruptId]) => open.has(interruptId)));
}

function isUnderWay(storage: ThreadStorage, runId: string): boolean {
  const run = storage.runs.get(runId);
  return run !== undefined && run.endedAt === undefined;
}
