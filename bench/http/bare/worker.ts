import { DurableObject } from "cloudflare:workers";

const SUPERSTEPS = 10;
/** In milliseconds. */
const LEASE = 30_000;
/** As long as what a superstep of the loop stores. */
const CHECKPOINT = "c".repeat(80);
const WRITES = "w".repeat(60);

/** The least that a durable thread can be: what it takes is the platform's. */
export class Thread extends DurableObject<Env> {
  /** An object with a table of its own. */
  create(): void {
    this.ctx.storage.sql.exec("CREATE TABLE supersteps (n INTEGER PRIMARY KEY, state TEXT NOT NULL)");
  }

  /** Ten rows in one transaction. */
  run(): void {
    for (let n = 0; n < SUPERSTEPS; n++)
      this.ctx.storage.sql.exec("INSERT INTO supersteps (state) VALUES (?)", `{"n":${n}}`);
  }

  /** One that is found by others when this has resolved. */
  async createListed(id: string): Promise<void> {
    const { sql } = this.ctx.storage;
    sql.exec("CREATE TABLE thread (id TEXT PRIMARY KEY, status TEXT NOT NULL) WITHOUT ROWID");
    sql.exec("CREATE TABLE runs (id TEXT PRIMARY KEY, status TEXT NOT NULL) WITHOUT ROWID");
    sql.exec("CREATE TABLE checkpoints (id BLOB PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID");
    sql.exec("CREATE TABLE writes (task BLOB PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID");
    sql.exec("INSERT INTO thread VALUES (?, 'idle')", id);
    await this.#list(id, "idle");
  }

  /** A run that would be taken up again if the object stopped: what it stores, with nothing that it does. */
  runListed(id: string): void {
    const { storage } = this.ctx;
    const { sql } = storage;
    const run = crypto.randomUUID();
    sql.exec("INSERT INTO runs VALUES (?, 'running')", run);
    this.ctx.waitUntil(storage.setAlarm(Date.now() + LEASE));
    sql.exec("INSERT INTO checkpoints VALUES (?, ?)", idOfRow(), CHECKPOINT);
    for (let n = 0; n < SUPERSTEPS; n++) {
      sql.exec("INSERT INTO writes VALUES (?, ?)", idOfRow(), WRITES);
      sql.exec("INSERT INTO checkpoints VALUES (?, ?)", idOfRow(), CHECKPOINT);
    }
    sql.exec("UPDATE runs SET status = 'success' WHERE id = ?", run);
    this.ctx.waitUntil(storage.deleteAlarm());
    this.ctx.waitUntil(this.#list(id, "idle"));
  }

  #list(id: string, status: string): Promise<void> {
    return this.env.DIRECTORY.getByName("bare").put(id, status);
  }
}

/** The least that lists threads by what they are and by when they changed. */
export class Directory extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { sql } = ctx.storage;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS threads (id TEXT PRIMARY KEY, status TEXT NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID",
    );
    sql.exec("CREATE INDEX IF NOT EXISTS threads_by_status ON threads (status, updated_at)");
  }

  put(id: string, status: string): void {
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO threads VALUES (?, ?, ?)", id, status, Date.now());
  }
}

function idOfRow(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(16));
}

interface Env {
  readonly THREAD: DurableObjectNamespace<Thread>;
  readonly DIRECTORY: DurableObjectNamespace<Directory>;
}

export default {
  async fetch(request, env) {
    const [name = "", work] = new URL(request.url).pathname.slice(1).split("/");
    const thread = env.THREAD.getByName(name);
    if (work === "create") await thread.create();
    if (work === "run") await thread.run();
    if (work === "create-listed") await thread.createListed(name);
    if (work === "run-listed") await thread.runListed(name);
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;
