// For those who compile against older libraries, which do not know `Symbol.asyncDispose`.
/// <reference lib="esnext.disposable" preserve="true" />

/** What `stream` gives: to be awaited, or to be iterated as it is. */
export interface StreamCall<Chunk>
  extends Promise<RunStream<Chunk>>, AsyncIterable<Chunk, undefined, undefined> {}

/** The call of `stream` that starts a run. What is refused before the run begins, rejects it. */
export function streamCall<Chunk>(start: () => RunStream<Chunk>): StreamCall<Chunk> {
  const call = new Promise<RunStream<Chunk>>((resolve) => {
    resolve(start());
  });
  return Object.assign(call, {
    async *[Symbol.asyncIterator](): AsyncGenerator<Chunk, undefined, undefined> {
      yield* await call;
    },
  });
}

/**
 * The chunks of a run that goes on whether they are read or not: a `ReadableStream`, and an async generator. Who cancels
 * it, or leaves its loop, cancels the run, and waits until it has ended.
 */
export class RunStream<Chunk>
  extends ReadableStream<Chunk>
  implements AsyncGenerator<Chunk, undefined, undefined>
{
  readonly #leave: (reason?: unknown) => Promise<void>;
  /** Of who iterates. */
  #reader: ReadableStreamDefaultReader<Chunk> | undefined;

  constructor(chunks: AsyncIterator<Chunk>, leave: (reason?: unknown) => Promise<void>) {
    super(
      {
        pull: async (controller) => {
          const next = await chunks.next();
          if (next.done) controller.close();
          else controller.enqueue(next.value);
        },
        cancel: leave,
      },
      // Nothing is taken before it is asked for, so that an error does not go before chunks.
      { highWaterMark: 0 },
    );
    this.#leave = leave;
  }

  override async cancel(reason?: unknown): Promise<void> {
    await this.#leave(reason);
    if (this.#reader !== undefined) await this.#reader.cancel(reason);
    else if (!this.locked) await super.cancel(reason);
  }

  async next(): Promise<IteratorResult<Chunk, undefined>> {
    const result = await this.#ownReader().read();
    return result.done ? { done: true, value: undefined } : { done: false, value: result.value };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.#ownReader().cancel();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorReturnResult<undefined>> {
    await this.return();
    throw error;
  }

  override [Symbol.asyncIterator](): this {
    return this;
  }

  /** For `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #ownReader(): ReadableStreamDefaultReader<Chunk> {
    return (this.#reader ??= this.getReader());
  }
}
