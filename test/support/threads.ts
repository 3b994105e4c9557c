import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { objectName } from "../../src/http/object-name.ts";
import { LazyTables } from "../../src/storage/lazy-tables.ts";
import { lazyTables } from "../../src/thread/migrations.ts";
import { STOPPED } from "./instances.ts";
import { until } from "./gate.ts";
import { allEvents, type ReceivedEvent } from "./events.ts";

export interface Question {
  readonly id: string;
  readonly value: unknown;
}

/** What `invoke` and `resume` answer. */
export interface RunAnswer {
  readonly thread_id: string;
  readonly run_id: string;
  readonly status: "success" | "interrupted";
  readonly values: Record<string, unknown>;
  readonly next: readonly string[];
  readonly interrupts: readonly Question[];
  readonly checkpoint_id: string;
}

export interface WireCheckpoint {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}

export interface WireState {
  readonly values: Record<string, unknown>;
  readonly next: readonly string[];
  readonly tasks: readonly {
    readonly id: string;
    readonly name: string;
    readonly error: string | null;
    readonly interrupts: readonly Question[];
    readonly result: unknown;
    readonly checkpoint: WireCheckpoint | null;
    readonly state: WireState | null;
  }[];
  readonly metadata: Record<string, unknown> | null;
  readonly checkpoint: WireCheckpoint;
  readonly parent_checkpoint: WireCheckpoint | null;
  readonly interrupts: readonly Question[];
}

interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: Record<string, unknown>;
  };
}

/** An answer with an error. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(status: number, body: ErrorBody) {
    super(`${status} ${body.error.code}: ${body.error.message}`);
    this.status = status;
    this.body = body;
    this.code = body.error.code;
    this.details = body.error.details;
  }
}

export function request(path: string, init?: RequestInit): Promise<Response> {
  return exports.default.fetch(`http://localhost${path}`, init);
}

/** The JSON of an answer; throws an `HttpError` for one that says what went wrong. */
export async function json(pending: Response | Promise<Response>): Promise<unknown> {
  const response = await pending;
  const body: unknown = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new HttpError(response.status, body as ErrorBody);
  return body;
}

/** A thread that the Worker is asked for over HTTP, and the object behind it. */
export class TestThread {
  readonly id: string;
  readonly path: string;

  constructor(id: string = crypto.randomUUID()) {
    this.id = id;
    this.path = `/threads/${encodeURIComponent(id)}`;
  }

  get(path: string): Promise<unknown> {
    return json(request(`${this.path}${path}`));
  }

  post(path: string, body: unknown): Promise<Response> {
    return this.postText(path, JSON.stringify(body));
  }

  postText(path: string, body: string): Promise<Response> {
    return request(`${this.path}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  }

  async invoke(body: Record<string, unknown> = {}): Promise<RunAnswer> {
    return (await json(this.post("/invoke", body))) as RunAnswer;
  }

  async resume(body: Record<string, unknown>): Promise<RunAnswer> {
    return (await json(this.post("/resume", body))) as RunAnswer;
  }

  /** The events of a run that was started before. */
  join(runId: string, query = "", headers: Record<string, string> = {}): Promise<Response> {
    return request(`${this.path}/runs/${runId}/stream${query}`, { headers });
  }

  /** All events of a run. */
  async stream(body: Record<string, unknown>): Promise<ReceivedEvent[]> {
    const response = await this.post("/stream", body);
    return response.ok ? allEvents(response) : ((await json(response)) as never);
  }

  async state(checkpointId?: string, query = ""): Promise<WireState> {
    const path = checkpointId === undefined ? "/state" : `/state/${checkpointId}`;
    return (await this.get(`${path}${query}`)) as WireState;
  }

  async history(query = ""): Promise<readonly WireState[]> {
    return (await this.get(`/history${query}`)) as readonly WireState[];
  }

  async update(body: Record<string, unknown>): Promise<WireCheckpoint> {
    const { checkpoint } = (await json(this.post("/state", body))) as { checkpoint: WireCheckpoint };
    return checkpoint;
  }

  async delete(): Promise<number> {
    const response = await request(this.path, { method: "DELETE" });
    await json(response.clone());
    return response.status;
  }

  /** What the router does after a reset: asks the object again for a run that it has started. */
  async startAgain(runId: string): Promise<unknown> {
    const reply = await this.stub.invoke({
      tenant: "",
      threadId: this.id,
      runId,
      request: { input: { kind: "continue" }, config: {}, onInterrupted: "refuse", modes: [] },
    });
    if (!("value" in reply)) throw new Error(`The run has failed: ${JSON.stringify(reply)}`);
    return new Response(reply.value).json();
  }

  get stub() {
    return env.THREAD.getByName(objectName("", this.id));
  }

  /** Takes the object out of memory when it has nothing to do; what is stored stays. */
  evict(): Promise<void> {
    return evictDurableObject(this.stub).catch((error: unknown) => {
      // It is out of memory already.
      if (!String(error).includes("not currently running")) throw error;
    });
  }

  /** How many listen to the events of all its runs. */
  listeners(): Promise<number> {
    return this.inside((state) => state.getWebSockets().length);
  }

  /** Stops the object in the middle of whatever it does. */
  async crash(): Promise<void> {
    await this.inside((state) => state.abort(STOPPED)).catch(() => undefined);
  }

  /** The time of the timer that is due next has come. False when there is no alarm. */
  async fireAlarm(): Promise<boolean> {
    await this.inside(({ storage }) => {
      const tables = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'timers'").toArray();
      if (tables.length === 0) return;
      storage.sql.exec("UPDATE timers SET due = 1 WHERE due = (SELECT min(due) FROM timers)");
    });
    return runDurableObjectAlarm(this.stub);
  }

  alarm(): Promise<number | null> {
    return this.inside((state) => state.storage.getAlarm());
  }

  /** Rows of the object's own database. */
  sql<Row extends Record<string, SqlStorageValue>>(
    query: string,
    ...bindings: readonly SqlStorageValue[]
  ): Promise<Row[]> {
    return this.inside((state) => state.storage.sql.exec<Row>(query, ...bindings).toArray());
  }

  /** What the object looks after, besides the logs of events, which are kept for a while. */
  async timerKinds(): Promise<readonly string[]> {
    const rows = await this.sql<{ kind: string }>("SELECT kind FROM timers WHERE kind <> 'event_log'");
    return rows.map(({ kind }) => kind);
  }

  /** Waits until the thread has taken in so many runs in all. */
  hasRuns(count: number): Promise<void> {
    return until(async () => (await this.rowCounts())["runs"] === count);
  }

  /** Makes tables as their first rows do, for statements that a test runs by hand. The object is another one afterwards. */
  async makeTables(...names: readonly string[]): Promise<void> {
    await this.inside(({ storage }) => {
      const tables = new LazyTables(storage.sql, lazyTables);
      for (const name of names) tables.make(name);
    });
    await this.evict();
  }

  /** How many rows each table has: none, when it is still to be made. */
  async rowCounts(): Promise<Record<string, number>> {
    const tables = await this.tables();
    const counts = Object.fromEntries(
      tables.length === 0 ? [] : Object.keys(lazyTables).map((name) => [name, 0]),
    );
    for (const table of tables) {
      const [row] = await this.sql<{ n: number }>(`SELECT count(*) AS n FROM ${table}`);
      counts[table] = row?.n ?? 0;
    }
    return counts;
  }

  /** The keys of the thread's objects in the bucket. */
  async objects(): Promise<readonly string[]> {
    const { objects } = await env.BLOBS.list({ prefix: `${this.stub.id.toString()}/` });
    return objects.map(({ key }) => key);
  }

  async tables(): Promise<readonly string[]> {
    const rows = await this.sql<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB '__miniflare*' ORDER BY name",
    );
    return rows.map(({ name }) => name);
  }

  /** Runs inside of the object. */
  inside<T>(work: (state: DurableObjectState) => T | Promise<T>): Promise<T> {
    return runInDurableObject(this.stub, (_, state) => work(state));
  }
}
