import type { Random } from "../support/random.ts";
import { type Answered, codeOf, type Patience, PatientClient } from "./patient-client.ts";

interface Outcome {
  readonly run_id: string;
  readonly status: string;
  readonly interrupts: readonly { readonly id: string }[];
}

interface State {
  readonly next: readonly string[];
  readonly values: { readonly log: readonly string[] };
  readonly tasks: readonly { readonly id: string; readonly name: string; readonly result: unknown }[];
}

export interface LoadOptions {
  readonly thread: string;
  readonly url: string;
  /** Where its nodes tell what they do. */
  readonly effects: string;
  /** How often a path was called there. */
  readonly count: (task: string) => number;
  readonly random: Random;
  readonly patience: Patience;
}

const JOBS = [
  "foreground",
  "background",
  "waited",
  "streamed",
  "asked",
  "slept",
  "told",
  "cancelled",
  "delayed",
  "edited",
] as const;

/** One caller of one thread, who does one thing after the other and notes what he was told. */
export class ThreadLoad {
  readonly #options: LoadOptions;
  readonly client: PatientClient;
  /** What must be answered in the same way for ever. */
  readonly acknowledged: Answered[] = [];
  /** What the log must hold once. */
  readonly expected: string[] = [];
  /** Tasks that were seen as finished, and how often each was done when that was seen first. */
  readonly finished = new Map<string, number>();
  /** Runs that ended because no attempt got anywhere. */
  stalled = 0;
  #jobs = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.client = new PatientClient(options.url, options.patience);
  }

  get jobs(): number {
    return this.#jobs;
  }

  get path(): string {
    return `/threads/${this.#options.thread}`;
  }

  /** Does something, to its end. */
  async act(): Promise<void> {
    const job = `${this.#jobs++}`;
    const kind = this.#options.random.pick(JOBS);
    switch (kind) {
      case "foreground":
        return this.#completed(`work ${job}`, await this.#start("/invoke", `work ${job}`));
      case "streamed":
        return this.#completed(`work ${job}`, await this.#start("/stream", `work ${job}`));
      case "waited":
        return this.#waited(`work ${job}`);
      case "background":
        return this.#background(`work ${job}`, {});
      case "delayed":
        return this.#background(`work ${job}`, { after_seconds: 0.2 });
      case "asked":
        return this.#asked(`ask ${job}`);
      case "slept":
        return this.#stopped(`nap ${job}`, `nap nap ${job}`);
      case "told":
        return this.#stopped(`listen ${job}`, `listen listen ${job}: ${job}`, { news: job });
      case "cancelled":
        return this.#cancelled(`work ${job}`);
      case "edited":
        return this.#edited(`edit ${job}`);
    }
  }

  async state(): Promise<State> {
    const { answer } = await this.client.get(`${this.path}/state`);
    const state = answer as State;
    for (const { id, name, result } of state.tasks) {
      const task = `${name}/${id}`;
      if (result !== null && !this.finished.has(task)) this.finished.set(task, this.#options.count(task));
    }
    return state;
  }

  #start(verb: string, job: string, options: object = {}): Promise<Answered> {
    const input = { effects: this.#options.effects, job };
    return this.#post(verb, { input, ...options });
  }

  async #post(verb: string, body: unknown): Promise<Answered> {
    const answered = await this.client.post(`${this.path}${verb}`, body, this.#options.thread);
    if (codeOf(answered.answer) === "run_stalled") this.stalled += 1;
    else if (answered.status !== 200 || codeOf(answered.answer) !== undefined)
      throw new Error(`${verb} was refused: ${JSON.stringify(answered)}`);
    this.acknowledged.push(answered);
    return answered;
  }

  #completed(job: string, { answer }: Answered): void {
    if ((answer as Outcome).status === "success") this.expected.push(`join ${job}`);
  }

  async #waited(job: string): Promise<void> {
    const { answer } = await this.#start("/runs/wait", job);
    if (Object.hasOwn(answer as object, "__error__")) this.stalled += 1;
    else this.expected.push(`join ${job}`);
  }

  async #background(job: string, options: object): Promise<void> {
    const { answer } = await this.#start("/runs", job, options);
    const status = await this.#ended((answer as Outcome).run_id);
    if (status === "success") this.expected.push(`join ${job}`);
    else if (status === "error") this.stalled += 1;
  }

  async #asked(job: string): Promise<void> {
    const { answer } = await this.#start("/invoke", job);
    const [question] = (answer as Outcome).interrupts ?? [];
    if (question === undefined) return;
    const body = { interrupt_id: question.id, value: job };
    const first = await this.#post("/resume", body);
    if (codeOf(first.answer) !== undefined) return;
    this.expected.push(`ask ${job}: ${job}`);
    const again = await this.#post("/resume", body);
    if ((again.answer as Outcome).run_id !== (first.answer as Outcome).run_id)
      throw new Error(`A question was answered twice: ${JSON.stringify([first, again])}`);
  }

  /** A job that waits, and what it writes when that is over. */
  async #stopped(job: string, written: string, { news }: { news?: string } = {}): Promise<void> {
    const { answer } = await this.#start("/invoke", job);
    if ((answer as Outcome).status !== "interrupted") return;
    if (news !== undefined) await this.#post("/events/news", news);
    this.expected.push(written);
    await this.#idle();
  }

  async #cancelled(job: string): Promise<void> {
    const { answer } = await this.#start("/runs", job);
    const { run_id: id } = answer as Outcome;
    await this.client.get(`${this.path}/state`);
    await this.client.post(`${this.path}/runs/${id}/cancel`, {}, this.#options.thread);
    const status = await this.#ended(id);
    if (status === "success") this.expected.push(`join ${job}`);
  }

  async #edited(text: string): Promise<void> {
    const body = { values: { log: [text] }, as_node: "join" };
    // There may be no thread yet.
    if (this.acknowledged.length === 0) return;
    await this.#post("/state", body);
    this.expected.push(text);
  }

  async #ended(runId: string): Promise<string> {
    for (;;) {
      await this.state();
      const { answer } = await this.client.get(`${this.path}/runs/${runId}`);
      const { status } = answer as Outcome;
      if (status !== "pending" && status !== "running") return status;
      await this.#pause();
    }
  }

  /** A run of the thread's own may have got nowhere, too: then another one goes on. */
  async #idle(): Promise<void> {
    while ((await this.state()).next.length > 0) {
      const { answer } = await this.client.get(`${this.path}/runs?limit=1`);
      if ((answer as Outcome[])[0]?.status === "error") {
        this.stalled += 1;
        await this.#post("/invoke", {});
      } else await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    if (Date.now() > this.#options.patience.deadline)
      throw new Error(`${this.path} does not come to an end.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
