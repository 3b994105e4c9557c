/** What is to be done when the client goes before the end, which shows when it is sent something. */
export interface Disconnection {
  readonly onGone: () => Promise<unknown>;
}
