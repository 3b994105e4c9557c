import type { Bytes, Idempotency, Reply, ThreadAddress } from "../call.ts";

/** What the router and a thread object say to each other about links and webhooks. */

/** The question that a link answers. */
export interface HookAddress extends ThreadAddress {
  readonly checkpointId: string;
  readonly interruptId: string;
  readonly nonce: string;
}

export interface ListDeliveries extends ThreadAddress {
  readonly limit: number;
}

/** The methods of a thread object for links and webhooks. */
export interface HooksApi {
  /** Answers with the question as JSON text. */
  readHook(hook: HookAddress): Promise<Reply<Bytes>>;
  /** Answers as soon as the answer is taken. Repeated with the same run id it is the same answer. */
  answerHook(
    hook: HookAddress,
    runId: string,
    value: unknown,
    idempotency?: Idempotency,
  ): Promise<Reply<null>>;
  listDeliveries(list: ListDeliveries): Promise<Reply<Bytes>>;
}
