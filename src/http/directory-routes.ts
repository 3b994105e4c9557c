import { Hono } from "./hono.ts";
import type { Reply } from "../thread/protocol.ts";
import type { AppOptions } from "./app.ts";
import { parseBody } from "./body.ts";
import { failureCode } from "./failure-code.ts";
import { once } from "./once.ts";
import { RebuildDirectoryBody } from "./tenant-schemas.ts";
import { callThreadObject } from "./thread-stub.ts";

/** Threads that are asked at once. */
const AT_ONCE = 8;

/** What is done with the directories of all tenants. */
export function directoryRoutes(options: AppOptions): Hono {
  const app = new Hono();

  /** Objects cannot be listed from inside: whoever asks has their ids from outside. Each tells what it is by itself. */
  app.post("/rebuild", async (context) => {
    const { objects } = await parseBody(context.req, RebuildDirectoryBody, options.maxBodySize);
    const threadById = options.threadById(context.env);
    const stubs = objects.map((id) => ({ id, stub: threadById(id) }));
    const make = async (): Promise<Response> => {
      const failed: { object: string; code: string }[] = [];
      let announced = 0;
      for (let start = 0; start < stubs.length; start += AT_ONCE) {
        const telling = stubs.slice(start, start + AT_ONCE).map(async ({ id, stub }) => {
          const code = await failureCode(options.report, async () => {
            const reply = await callThreadObject(stub, (api): Promise<Reply<boolean>> =>
              api.announceThread(),
            );
            if (reply.ok && reply.value) announced += 1;
            return reply;
          });
          if (code !== undefined) failed.push({ object: id, code });
        });
        await Promise.all(telling);
      }
      return context.json({ announced, failed });
    };
    // What threads are, they may tell however often.
    return once(context, options, make, make);
  });

  return app;
}
