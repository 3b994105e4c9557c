import { LONGEST } from "./unread-body.ts";

/** A body on its way to somebody who may not take all of it: what is not taken stays to be read. A pipe would end the body. */
export class Upload {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #sent: Promise<void>;

  constructor(body: ReadableStream<Uint8Array>) {
    const { readable, writable } = new IdentityTransformStream();
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#sent = this.#send(body);
  }

  /** Nobody takes any more of it. It is let go of when something more comes, which need not be. */
  async end(): Promise<void> {
    await this.#abort(new Error("The upload was ended."));
    await Promise.race([this.#sent, scheduler.wait(LONGEST)]);
  }

  async #send(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of body.values({ preventCancel: true })) await this.#writer.write(chunk);
      await this.#writer.close();
    } catch (error) {
      // Who takes it hears that it broke off.
      await this.#abort(error);
    }
  }

  /** Has no effect on what has ended. */
  async #abort(reason: unknown): Promise<void> {
    await this.#writer.abort(reason).catch(() => undefined);
  }
}
