import { TidemarkError } from "../../errors.ts";

/** What is kept of the events of streamed runs, and how they are sent. */
export interface EventOptions {
  /** Of one run, in bytes, 8 MiB by default: the oldest events go first. */
  readonly size?: number;
  /** After the end of the run, in milliseconds; an hour by default. */
  readonly keep?: number;
  /** A stream gets a comment so often, in milliseconds, that nobody on the way takes it for dead; 5,000 by default. */
  readonly heartbeat?: number;
  /** Who listens to a thread is asked again so often who it is, in milliseconds; five minutes by default. */
  readonly reauthenticate?: number;
}

const DEFAULTS: Required<EventOptions> = {
  size: 8 * 1024 * 1024,
  keep: 60 * 60 * 1000,
  heartbeat: 5000,
  reauthenticate: 5 * 60 * 1000,
};

/** All of them, checked. */
export function eventOptions(given: EventOptions): Required<EventOptions> {
  const options = { ...DEFAULTS, ...given };
  if (Object.values(options).every((value) => Number.isFinite(value) && value > 0)) return options;
  throw new TidemarkError(
    "invalid_events",
    "events: size must be bytes above 0, keep, heartbeat and reauthenticate milliseconds above 0.",
    { details: { ...given } },
  );
}
