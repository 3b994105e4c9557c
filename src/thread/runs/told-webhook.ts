/** What is told of where a run tells how it came out: the rest of such an address is often a key. */
export function toldWebhook(webhook: string | undefined): string | null {
  return webhook !== undefined && URL.canParse(webhook) ? new URL(webhook).origin : null;
}
