import type { StandardSchema } from "../../src/graph/index.ts";
import { githubWebhooks, standardWebhooks, stripeWebhooks, type WebhookSource } from "../../src/worker.ts";

/** The events and sources of webhooks that the test worker knows. */

export const eventSchemas: Record<string, StandardSchema> = {
  paid: {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) =>
        typeof value === "object" && value !== null && "amount" in value && typeof value.amount === "number"
          ? { value }
          : { issues: [{ message: "must be a number", path: ["amount"] }] },
    },
  },
};

interface Sent {
  readonly thread?: string;
  readonly id?: string;
  readonly key?: string;
}

/** Each delivery says itself which thread and event it is for. */
const route: WebhookSource["route"] = (payload) => {
  const { thread, id = "", key = "paid" } = payload as Sent;
  return thread === undefined ? undefined : { thread, key, id, payload };
};

/** All sign with the secret "secret", and at the time 1,000,000 s where they say one. */
export const webhooks: Record<string, WebhookSource> = {
  github: { verify: githubWebhooks(["old", "secret"]), route },
  stripe: { verify: stripeWebhooks(() => "secret", { now: () => 1_000_100_000 }), route },
  standard: { verify: standardWebhooks(`whsec_${btoa("secret")}`, { now: () => 1_000_100_000 }), route },
};
