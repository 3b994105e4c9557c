/** What a sender has sent. */
export interface WebhookDelivery {
  readonly headers: Headers;
  /** The bytes that were signed. */
  readonly body: Uint8Array;
}

/** Whether the delivery comes from its sender. */
export type VerifyWebhook = (delivery: WebhookDelivery, env: Cloudflare.Env) => boolean | Promise<boolean>;

/** The event that a delivery stands for. */
export interface WebhookEvent {
  readonly thread: string;
  readonly key: string;
  /** The sender's own id of the delivery: the same one again is the same event. */
  readonly id: string;
  readonly payload: unknown;
  /** Whose thread it is, where callers have tenants. */
  readonly tenant?: string;
}

/** Somebody outside whose deliveries are events of threads. */
export interface WebhookSource {
  readonly verify: VerifyWebhook;
  /** Undefined or null for a delivery that concerns no thread. `payload` is the body, as JSON. */
  readonly route: (
    payload: unknown,
    delivery: WebhookDelivery,
    env: Cloudflare.Env,
  ) => WebhookEvent | null | undefined | Promise<WebhookEvent | null | undefined>;
}
