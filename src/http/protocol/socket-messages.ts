/** The messages of a socket, in their order. */
export class SocketMessages {
  readonly #socket: WebSocket;
  #waiting: string[] = [];
  #wake: () => void = () => undefined;
  #closeCode: number | undefined;
  #unacknowledged = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") return;
      this.#waiting.push(data);
      this.#wake();
    });
    socket.addEventListener("close", ({ code }) => this.#close(code));
    socket.addEventListener("error", () => this.#close(1006));
    socket.accept();
  }

  /** Undefined as long as it is open. */
  get closeCode(): number | undefined {
    return this.#closeCode;
  }

  /** Until it is closed, or the signal comes. */
  async *until(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const wake = (): void => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      while (!signal.aborted) {
        const messages = this.#waiting;
        this.#waiting = [];
        yield* messages;
        if (this.#waiting.length > 0) continue;
        if (this.#closeCode !== undefined) return;
        await this.#next(signal);
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  /** Says to the other side how much has been taken, when it is `least` or more. */
  acknowledge(characters: number, least: number): void {
    this.#unacknowledged += characters;
    if (this.#unacknowledged < least || this.#closeCode !== undefined) return;
    this.#socket.send(String(this.#unacknowledged));
    this.#unacknowledged = 0;
  }

  leave(): void {
    if (this.#closeCode === undefined) this.#socket.close(1000);
  }

  #close(code: number): void {
    this.#closeCode ??= code;
    this.#wake();
  }

  async #next(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length > 0 || this.#closeCode !== undefined || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
