import { TidemarkError } from "../errors.ts";
import { checkHookKeys, type HookKey } from "./hook-keys.ts";
import { checkWebhookSecrets } from "./webhook-signature.ts";
import { checkWebhookTarget } from "./webhook-target.ts";

/** Links that answer questions. */
export interface HookOptions {
  /** From the Worker's bindings. The first key signs; links of all of them are taken. */
  readonly keys: (env: Cloudflare.Env) => readonly HookKey[];
  /** Where the Worker is reached, as in "https://agents.example.com": links begin with it. */
  readonly origin: string;
  /** How long a link is good for, in milliseconds; a week by default. */
  readonly expiresIn?: number;
}

/** Webhooks that are told how runs came out. */
export interface DeliveryOptions {
  /** From the Worker's bindings: what messages are signed with, each "whsec_" and base64. All of them sign. */
  readonly secrets: (env: Cloudflare.Env) => readonly string[];
  /** Where all runs of a graph are told of that say nothing else, by its name. */
  readonly webhooks?: Readonly<Record<string, string>>;
  /** Hosts, with their ports where they are not the usual ones, that are told although they are not on the internet. */
  readonly allowed?: readonly string[];
}

const WEEK = 7 * 24 * 60 * 60 * 1000;

export interface Links {
  readonly keys: (env: unknown) => readonly HookKey[];
  readonly origin: string;
  readonly expiresIn: number;
}

export function linksOf({ keys, origin, expiresIn = WEEK }: HookOptions): Links {
  if (!URL.canParse(origin) || new URL(origin).origin !== origin || !(expiresIn > 0)) {
    throw new TidemarkError(
      "invalid_hooks",
      'hooks: origin must be as "https://agents.example.com", without a path; expiresIn milliseconds above 0.',
    );
  }
  return { keys: (env) => checkHookKeys(keys(env as Cloudflare.Env)), origin, expiresIn };
}

export interface Deliveries {
  readonly secrets: (env: unknown) => readonly string[];
  readonly webhooks: Readonly<Record<string, string>>;
  readonly allowed: readonly string[];
}

/** Without options none are sent. */
export function deliveriesOf(options: DeliveryOptions | undefined): Deliveries {
  if (options === undefined) return { secrets: () => [], webhooks: {}, allowed: [] };
  const { secrets, webhooks = {}, allowed = [] } = options;
  for (const url of Object.values(webhooks)) checkWebhookTarget(url, allowed);
  return { secrets: (env) => checkWebhookSecrets(secrets(env as Cloudflare.Env)), webhooks, allowed };
}
