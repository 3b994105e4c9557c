import type { RunAnswer } from "../http/answers/run.ts";
import type { State } from "../http/answers/state.ts";
import type { Caller, CallOptions } from "./caller.ts";
import type { AnswerOf, BodyOf } from "./routes.ts";
import type { RunEvent } from "./run-event.ts";

type InvokeBody = BodyOf<"POST /threads/:thread_id/invoke">;
type ResumeBody = BodyOf<"POST /threads/:thread_id/resume">;
type StreamBody = BodyOf<"POST /threads/:thread_id/stream">;
type RunBody = BodyOf<"POST /threads/:thread_id/runs">;

/** With the values as the graph has them. */
export type Outcome<Values> = Omit<RunAnswer, "values"> & { readonly values: Values };
export type ThreadState<Values> = Omit<State, "values"> & { readonly values: Values };

/** One thread, by its id; it may not be there yet. */
export class ThreadClient<Values> {
  readonly id: string;
  readonly runs: ThreadRuns<Values>;
  readonly #caller: Caller;
  readonly #path: { readonly thread_id: string };

  constructor(caller: Caller, id: string) {
    this.id = id;
    this.#caller = caller;
    this.#path = { thread_id: id };
    this.runs = new ThreadRuns(caller, id);
  }

  /** Starts a run, or goes on, and waits for its end. */
  async invoke(body: InvokeBody = {}, options?: CallOptions): Promise<Outcome<Values>> {
    const answer = await this.#caller.call("POST /threads/:thread_id/invoke", {
      path: this.#path,
      body,
      ...options,
    });
    return answer as Outcome<Values>;
  }

  /** Answers questions, and waits for the end of the run. */
  async resume(body: ResumeBody, options?: CallOptions): Promise<Outcome<Values>> {
    const answer = await this.#caller.call("POST /threads/:thread_id/resume", {
      path: this.#path,
      body,
      ...options,
    });
    return answer as Outcome<Values>;
  }

  /** Starts a run and reads its events, each once, whatever becomes of the connection. Throws what the run fails with. */
  stream(body: StreamBody = {}, options?: CallOptions): AsyncGenerator<RunEvent<Values>, void, undefined> {
    return this.#caller.events("POST /threads/:thread_id/stream", { path: this.#path, body, ...options });
  }

  /** The newest state, or that at a checkpoint. */
  async state(checkpointId?: string, options?: CallOptions): Promise<ThreadState<Values>> {
    const state =
      checkpointId === undefined
        ? await this.#caller.call("GET /threads/:thread_id/state", { path: this.#path, ...options })
        : await this.#caller.call("GET /threads/:thread_id/state/:checkpoint_id", {
            path: { ...this.#path, checkpoint_id: checkpointId },
            ...options,
          });
    return state as ThreadState<Values>;
  }

  /** States, the newest first. */
  async history(
    body: BodyOf<"POST /threads/:thread_id/history"> = {},
    options?: CallOptions,
  ): Promise<readonly ThreadState<Values>[]> {
    const states = await this.#caller.call("POST /threads/:thread_id/history", {
      path: this.#path,
      body,
      ...options,
    });
    return states as readonly ThreadState<Values>[];
  }

  /** Applies values as if a node had returned them. */
  update(
    body: BodyOf<"POST /threads/:thread_id/state">,
    options?: CallOptions,
  ): Promise<AnswerOf<"POST /threads/:thread_id/state">> {
    return this.#caller.call("POST /threads/:thread_id/state", { path: this.#path, body, ...options });
  }

  get(options?: CallOptions): Promise<AnswerOf<"GET /threads/:thread_id">> {
    return this.#caller.call("GET /threads/:thread_id", { path: this.#path, ...options });
  }

  delete(options?: CallOptions): Promise<null> {
    return this.#caller.call("DELETE /threads/:thread_id", { path: this.#path, ...options });
  }

  /** Sends an event to a node that waits for the key, or will. */
  send(
    key: string,
    payload: unknown,
    options?: CallOptions,
  ): Promise<AnswerOf<"POST /threads/:thread_id/events/:key">> {
    const path = { ...this.#path, key };
    return this.#caller.call("POST /threads/:thread_id/events/:key", { path, body: payload, ...options });
  }
}

/** The runs of a thread, by their ids. */
export class ThreadRuns<Values> {
  readonly #caller: Caller;
  readonly #path: { readonly thread_id: string };

  constructor(caller: Caller, threadId: string) {
    this.#caller = caller;
    this.#path = { thread_id: threadId };
  }

  /** Starts a run, and goes on at once. */
  create(body: RunBody, options?: CallOptions): Promise<AnswerOf<"POST /threads/:thread_id/runs">> {
    return this.#caller.call("POST /threads/:thread_id/runs", { path: this.#path, body, ...options });
  }

  get(runId: string, options?: CallOptions): Promise<AnswerOf<"GET /threads/:thread_id/runs/:run_id">> {
    const path = { ...this.#path, run_id: runId };
    return this.#caller.call("GET /threads/:thread_id/runs/:run_id", { path, ...options });
  }

  list(options?: CallOptions): Promise<AnswerOf<"GET /threads/:thread_id/runs">> {
    return this.#caller.call("GET /threads/:thread_id/runs", { path: this.#path, ...options });
  }

  /** The values of a run when it has ended. Throws what it has failed with. */
  async join(runId: string, options?: CallOptions): Promise<Values> {
    const path = { ...this.#path, run_id: runId };
    return this.#caller.values<Values>("GET /threads/:thread_id/runs/:run_id/join", { path, ...options });
  }

  /** As `create` and `join`. */
  async wait(body: RunBody, options?: CallOptions): Promise<Values> {
    return this.#caller.values<Values>("POST /threads/:thread_id/runs/wait", {
      path: this.#path,
      body,
      ...options,
    });
  }

  /** The events of a run that was started before. */
  events(runId: string, options?: CallOptions): AsyncGenerator<RunEvent<Values>, void, undefined> {
    const path = { ...this.#path, run_id: runId };
    return this.#caller.events("GET /threads/:thread_id/runs/:run_id/stream", { path, ...options });
  }

  async cancel(runId: string, options?: CallOptions): Promise<void> {
    const path = { ...this.#path, run_id: runId };
    await this.#caller.call("POST /threads/:thread_id/runs/:run_id/cancel", {
      path,
      query: { wait: "true" },
      ...options,
    });
  }
}
