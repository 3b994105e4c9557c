import { Hono } from "../hono.ts";
import type { AppOptions } from "../app-options.ts";
import { parseBody } from "../requests/body.ts";
import { inGroups } from "../in-groups.ts";
import { once } from "../once.ts";
import { RebuildDirectoryBody } from "../tenants/tenant-schemas.ts";
import { askObject } from "../thread-stub.ts";
import { tried } from "../tried.ts";

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
      await inGroups(stubs, async ({ id, stub }) => {
        const reply = await tried(options.report, () => askObject(stub, "announceThread"));
        if (!reply.ok) failed.push({ object: id, code: reply.error.code });
        else if (reply.value) announced += 1;
      });
      return context.json({ announced, failed });
    };
    // What threads are, they may tell however often.
    return once(context, options, make, make);
  });

  return app;
}
