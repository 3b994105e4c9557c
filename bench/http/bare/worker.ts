import { DurableObject } from "cloudflare:workers";

/**
 * The least that a durable thread can be: an object with a table of its own, made by the first request, which gets ten rows in one
 * transaction with the second. What it takes is the platform's.
 */
export class Thread extends DurableObject<Env> {
  create(): void {
    this.ctx.storage.sql.exec("CREATE TABLE supersteps (n INTEGER PRIMARY KEY, state TEXT NOT NULL)");
  }

  run(): void {
    for (let n = 0; n < 10; n++)
      this.ctx.storage.sql.exec("INSERT INTO supersteps (state) VALUES (?)", `{"n":${n}}`);
  }
}

export class Directory extends DurableObject {}

interface Env {
  readonly THREAD: DurableObjectNamespace<Thread>;
}

export default {
  async fetch(request, env) {
    const [name = "", work] = new URL(request.url).pathname.slice(1).split("/");
    const thread = env.THREAD.getByName(name);
    if (work === "create") await thread.create();
    if (work === "run") await thread.run();
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;
