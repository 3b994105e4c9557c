import { Hono, type HonoRequest } from "hono";
import type { AppOptions } from "./app.ts";
import { check } from "./body.ts";
import { streamed } from "./event-response.ts";
import { EventsQuery } from "./event-schemas.ts";
import { requestedThread } from "./thread-call.ts";

/** Reading the events of a run that was started before. */
export function eventRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/runs/:run_id/stream", (context) => {
    const thread = requestedThread(context, options);
    const { after, modes } = joinRequest(context.req);
    const read = { ...thread.address, runId: context.req.param("run_id"), modes };
    return streamed(context, options, thread, (api, last) => api.readEvents({ ...read, after: last }), {
      after,
    });
  });

  return app;
}

function joinRequest(request: HonoRequest) {
  const { stream_mode: modes = [], ...query } = request.queries();
  const others = Object.fromEntries(Object.entries(query).map(([key, values]) => [key, values.at(-1)]));
  const header = request.header("last-event-id");
  const { last_event_id: id = "-1", stream_mode: wanted } = check(
    EventsQuery,
    {
      ...others,
      ...(header !== undefined && { last_event_id: header }),
      stream_mode: modes.flatMap(namesIn),
    },
    "query",
  );
  return {
    after: id === "-1" ? undefined : id,
    modes: wanted.length === 0 ? undefined : wanted,
  };
}

/** One mode, several with commas between them, or a JSON list: clients have all three. */
function namesIn(text: string): string[] {
  return text.replaceAll(/[[\]"\s]/g, "").split(",");
}
