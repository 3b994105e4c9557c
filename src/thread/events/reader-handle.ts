import { RpcTarget } from "cloudflare:workers";
import type { EventReader } from "./event-reader.ts";

/** What the other side of a call holds of a reader: without it, also when that side is gone, nobody reads on. */
export class ReaderHandle extends RpcTarget implements Disposable {
  readonly #reader: EventReader;

  constructor(reader: EventReader) {
    super();
    this.#reader = reader;
  }

  [Symbol.dispose](): void {
    this.#reader.leave();
  }
}
