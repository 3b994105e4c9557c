import { Hono } from "hono";
import { v7 as uuid7 } from "uuid";
import type { AppOptions } from "./app.ts";
import { parseBody, parseQuery } from "./body.ts";
import { requestConditions } from "./request-conditions.ts";
import { HistoryQuery, StateQuery, UpdateStateBody } from "./schemas.ts";
import { call, jsonResponse, requestedThread } from "./thread-call.ts";

/** Reading and editing what a thread has. */
export function stateRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/state", async (context) => {
    const thread = requestedThread(context, options);
    const read = { ...thread.address, ...parseQuery(context.req, StateQuery) };
    return jsonResponse(context, await call(thread, (api) => api.getState(read)));
  });

  app.get("/state/:checkpoint_id", async (context) => {
    const thread = requestedThread(context, options);
    const query = parseQuery(context.req, StateQuery);
    const read = { ...thread.address, ...query, checkpointId: context.req.param("checkpoint_id") };
    return jsonResponse(context, await call(thread, (api) => api.getState(read)));
  });

  app.post("/state", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, UpdateStateBody, options.maxBodySize);
    const edit = {
      ...thread.address,
      editId: uuid7(),
      ...(await requestConditions(context, body)),
      values: body.values,
      ...(body.as_node === undefined ? {} : { asNode: body.as_node }),
      ...(body.checkpoint_id === undefined ? {} : { checkpointId: body.checkpoint_id }),
    };
    let attempts = 0;
    const reply = await call(thread, (api) => {
      attempts += 1;
      return api.updateState({ ...edit, isRepeated: attempts > 1 });
    });
    return jsonResponse(context, reply);
  });

  app.get("/history", async (context) => {
    const thread = requestedThread(context, options);
    const { limit, before } = parseQuery(context.req, HistoryQuery);
    const read = { ...thread.address, limit, ...(before === undefined ? {} : { before }) };
    return jsonResponse(context, await call(thread, (api) => api.getHistory(read)));
  });

  return app;
}
