import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { freePort } from "./free-port.ts";

/** PostgreSQL in this process, with nothing in it, that is reached over a socket as any other. */
export class Postgres {
  readonly url: string;
  readonly #database: PGlite;
  readonly #server: PGLiteSocketServer;

  private constructor(database: PGlite, port: number) {
    this.url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    this.#database = database;
    this.#server = new PGLiteSocketServer({ db: database, port, host: "127.0.0.1", maxConnections: 10 });
  }

  static async start(): Promise<Postgres> {
    const postgres = new Postgres(await PGlite.create(), await freePort());
    await postgres.#server.start();
    return postgres;
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.#database.close();
  }
}
