import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "vite";

/** Serves a page that is one script, bundled as for a browser, on an origin of its own. */
export class PageServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `entry`: the script; it renders into the element `root`. */
  static async open(entry: string): Promise<PageServer> {
    const script = await bundled(entry);
    const server = createServer(({ url }, response) => {
      const isScript = url === "/page.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
      response.end(isScript ? script : PAGE);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new PageServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async dispose(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

const PAGE = `<!doctype html><div id="root"></div><script type="module" src="/page.js"></script>`;

async function bundled(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    // vite goes by the environment of the process, which is a test's.
    define: { "process.env.NODE_ENV": '"production"' },
    oxc: { jsx: { runtime: "automatic", development: false } },
    build: {
      write: false,
      minify: false,
      rolldownOptions: { input: entry, output: { codeSplitting: false, entryFileNames: "page.js" } },
    },
  });
  const outputs = [built].flat().flatMap((each) => ("output" in each ? each.output : []));
  const chunk = outputs.find((output) => output.type === "chunk");
  if (chunk === undefined) throw new Error(`Nothing was built of ${entry}.`);
  return chunk.code;
}
