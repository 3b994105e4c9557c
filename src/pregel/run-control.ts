/**
 * Lets the outside ask a run to stop at the end of its superstep, as at a shutdown. Pass a fresh one to a run; nodes find
 * it as `config.control`. The run then rejects with `GraphDrained`, and can be continued from its checkpoint.
 */
export class RunControl {
  #reason: string | undefined;

  requestDrain(reason = "shutdown"): void {
    this.#reason = reason;
  }

  get drainRequested(): boolean {
    return this.#reason !== undefined;
  }

  get drainReason(): string | undefined {
    return this.#reason;
  }
}
