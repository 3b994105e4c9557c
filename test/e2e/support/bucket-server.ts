import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

const REQUEST = "cf-r2-request";
const METADATA_SIZE = "cf-r2-metadata-size";
const ERROR = "cf-r2-error";
const NO_SUCH_KEY = 10_007;

interface Operation {
  readonly method: string;
  readonly object?: string;
}

/** A bucket of R2 in this process, as far as large values need one: objects are put and read. */
export class BucketServer {
  readonly #objects = new Map<string, Buffer>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<BucketServer> {
    const bucket = new BucketServer();
    await once(bucket.#server.listen(0, "127.0.0.1"), "listening");
    return bucket;
  }

  /** Host and port. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many objects it has. */
  get size(): number {
    return this.#objects.size;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "PUT") {
      const body = await buffer(request);
      const size = Number(request.headers[METADATA_SIZE]);
      const { object = "" } = JSON.parse(body.toString("utf8", 0, size)) as Operation;
      const value = body.subarray(size);
      this.#objects.set(object, value);
      return answer(response, object, value.length);
    }
    const { object = "" } = JSON.parse(String(request.headers[REQUEST])) as Operation;
    const value = this.#objects.get(object);
    if (value !== undefined) return answer(response, object, value.length, value);
    const error = { message: "There is no such object.", version: 1, v4code: NO_SUCH_KEY };
    response.writeHead(404, { [ERROR]: JSON.stringify(error) }).end();
  }
}

/** What is known of an object, and the object behind it. */
function answer(response: ServerResponse, name: string, size: number, value?: Buffer): void {
  const known = {
    name,
    version: "1",
    size,
    etag: "0".repeat(32),
    uploaded: 0,
    checksums: {},
    customFields: [],
  };
  const metadata = Buffer.from(JSON.stringify(known));
  response.writeHead(200, {
    [METADATA_SIZE]: metadata.length,
    "Content-Type": "application/json",
    "Content-Length": metadata.length + (value?.length ?? 0),
  });
  response.write(metadata);
  response.end(value);
}
