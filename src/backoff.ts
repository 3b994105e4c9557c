/** What cannot be done is tried again at least so often, in milliseconds: once an hour. */
export const LONGEST_BACKOFF = 60 * 60 * 1000;

/** How long until what has failed for so long is tried again, in milliseconds: each time after twice as long. */
export function backoff(failing: number, first: number, longest = LONGEST_BACKOFF): number {
  return Math.min(Math.max(failing, first), longest);
}
