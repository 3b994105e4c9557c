import { Hono } from "hono";
import * as v from "valibot";
import { v7 as uuid7 } from "uuid";
import type { RunRequest } from "../thread/protocol.ts";
import type { AppOptions } from "./app.ts";
import { parseBody } from "./body.ts";
import { requestedOptions, runOptions } from "./run-options.ts";
import { requestedConfig } from "./run-request.ts";
import { AnyObject, Config, exactly } from "./schemas.ts";
import { call, jsonResponse, refusal, requestedThread } from "./thread-call.ts";

const Time = v.pipe(
  v.string(),
  v.isoTimestamp("must be a time with an offset, in ISO 8601"),
  v.transform((text) => Date.parse(text)),
);

const { multitask_strategy, timeout_seconds } = runOptions;

/** What a cron is made of, in the words of LangGraph's platform. */
const CronBody = exactly({
  /** Minute, hour, day of the month, month, day of the week. */
  schedule: v.pipe(v.string(), v.maxLength(256)),
  /** An IANA name: by its clock the schedule goes. */
  timezone: v.optional(v.pipe(v.string(), v.maxLength(64)), "UTC"),
  enabled: v.optional(v.boolean(), true),
  end_time: v.nullish(Time),
  assistant_id: v.optional(v.string()),
  input: v.optional(v.unknown()),
  config: v.optional(Config, {}),
  context: v.optional(v.unknown()),
  metadata: v.optional(AnyObject, {}),
  multitask_strategy,
  timeout_seconds,
  on_interrupted: v.optional(v.picklist(["refuse", "discard"]), "refuse"),
});

/** Runs of a thread that come by the clock. */
export function cronRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/runs/crons", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, CronBody, options.maxBodySize);
    const { schedule, timezone, enabled, end_time: endAt } = body;
    const cron = { cronId: uuid7(), schedule, timezone, enabled, endAt: endAt ?? undefined };
    const create = { ...thread.address, ...cron, request: cronRequest(body) };
    return jsonResponse(context, await call(thread, (api) => api.createCron(create)));
  });

  app.get("/runs/crons", async (context) => {
    const thread = requestedThread(context, options);
    return jsonResponse(context, await call(thread, (api) => api.listCrons(thread.address)));
  });

  app.delete("/runs/crons/:cron_id", async (context) => {
    const thread = requestedThread(context, options);
    const named = { ...thread.address, cronId: context.req.param("cron_id") };
    const reply = await call(thread, (api) => api.deleteCron(named));
    return reply.ok ? context.body(null, 204) : refusal(context, reply);
  });

  return app;
}

function cronRequest(body: v.InferOutput<typeof CronBody>): RunRequest {
  const { assistant_id: graph, context, input, config, metadata } = body;
  return {
    config: requestedConfig({ ...config, metadata: { ...config.metadata, ...metadata } }),
    input: input === undefined || input === null ? { kind: "continue" } : { kind: "input", value: input },
    ...requestedOptions({ ...body, after_seconds: 0 }),
    ...(graph !== undefined && { graph }),
    ...(context !== undefined && { context }),
    onInterrupted: body.on_interrupted,
    modes: [],
  };
}
