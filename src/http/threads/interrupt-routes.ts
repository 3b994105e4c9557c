import * as v from "valibot";
import { Hono } from "../hono.ts";
import type { AskedQuestion, QuestionPlace } from "../../directory/protocol.ts";
import { RefusedError } from "../../errors.ts";
import type { AppOptions } from "../app-options.ts";
import { accessTo } from "../auth/authorization.ts";
import { parseQuery } from "../requests/body.ts";
import { InterruptsQuery } from "./thread-schemas.ts";
import { directoryOf } from "./search-routes.ts";

const Place = v.strictTuple([v.pipe(v.number(), v.safeInteger()), v.string(), v.string()]);

/** The questions that wait for an answer, of all threads of a tenant. */
export function interruptRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/", async (context) => {
    const directory = directoryOf(context, options);
    const { limit, after } = parseQuery(context.req, InterruptsQuery);
    const place = after === undefined ? {} : { after: placeOf(after) };
    const access = accessTo(context, "threads");
    const found = await directory.getQuestions({ limit: limit + 1, ...place, ...(access && { access }) });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const next = found.length > limit && last !== undefined ? cursorOf(last) : null;
    return context.json({ interrupts: page.map(interruptOf), next });
  });

  return app;
}

function interruptOf({ threadId, interruptId, value, askedAt }: AskedQuestion): object {
  return { thread_id: threadId, interrupt_id: interruptId, value, asked_at: new Date(askedAt).toISOString() };
}

function cursorOf({ askedAt, threadId, interruptId }: QuestionPlace): string {
  const bytes = new TextEncoder().encode(JSON.stringify([askedAt, threadId, interruptId]));
  return btoa(String.fromCharCode(...bytes));
}

function placeOf(cursor: string): QuestionPlace {
  try {
    const bytes = Uint8Array.from(atob(cursor), (character) => character.charCodeAt(0));
    const [askedAt, threadId, interruptId] = v.parse(Place, JSON.parse(new TextDecoder().decode(bytes)));
    return { askedAt, threadId, interruptId };
  } catch (cause) {
    throw new RefusedError("invalid_request", '"after" in the query must be the "next" of a page before.', {
      cause,
    });
  }
}
