import { uuid7 } from "../../uuid7.ts";
import { Hono } from "../hono.ts";
import type { StatePlace } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { parseBody, parseQuery, sentBody } from "../requests/body.ts";
import { requireThread } from "../requests/named-place.ts";
import { requestConditions } from "../requests/request-conditions.ts";
import {
  type CheckpointBody,
  CheckpointStateBody,
  HistoryBody,
  HistoryQuery,
  StateQuery,
  UpdateStateBody,
} from "./state-schemas.ts";
import { call, callWhole, jsonResponse, requestedThread, type RequestedThread } from "../thread-call.ts";

/** Reading and editing what a thread has. */
export function stateRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/state", async (context) => {
    const thread = requestedThread(context, options);
    const read = { ...thread.address, ...stateQuery(context.req) };
    return jsonResponse(context, await call(thread, (api) => api.getState(read)));
  });

  app.get("/state/:checkpoint_id", async (context) => {
    const thread = requestedThread(context, options);
    const read = {
      ...thread.address,
      ...stateQuery(context.req),
      checkpointId: context.req.param("checkpoint_id"),
    };
    return jsonResponse(context, await call(thread, (api) => api.getState(read)));
  });

  app.post("/state/checkpoint", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, CheckpointStateBody, options.maxBodySize);
    const { checkpoint, subgraphs, select } = body;
    const read = { ...thread.address, ...placeOf(thread, checkpoint), subgraphs, ...(select && { select }) };
    return jsonResponse(context, await call(thread, (api) => api.getState(read)));
  });

  app.post("/state", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, UpdateStateBody, options.maxBodySize);
    const edit = {
      ...thread.address,
      editId: uuid7(),
      ...(await requestConditions(context, sentBody(context.req))),
      values: body.values,
      ...(body.as_node != null && { asNode: body.as_node }),
      ...placeOf(thread, body.checkpoint ?? {}),
      ...(body.checkpoint_id != null && { checkpointId: body.checkpoint_id }),
    };
    let attempts = 0;
    const reply = await callWhole(thread, (api) => {
      attempts += 1;
      return api.updateState({ ...edit, isRepeated: attempts > 1 });
    });
    return jsonResponse(context, reply);
  });

  app.get("/history", async (context) => {
    const thread = requestedThread(context, options);
    const { limit, before } = parseQuery(context.req, HistoryQuery);
    const read = { ...thread.address, limit, ...(before !== undefined && { before }) };
    return jsonResponse(context, await call(thread, (api) => api.getHistory(read)));
  });

  app.post("/history", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, HistoryBody, options.maxBodySize);
    const { limit, before, metadata, checkpoint, select } = body;
    const read = {
      ...thread.address,
      ...placeOf(thread, checkpoint ?? {}),
      limit,
      ...(before && { before }),
      ...(metadata && { metadata }),
      ...(select && { select }),
    };
    return jsonResponse(context, await call(thread, (api) => api.getHistory(read)));
  });

  return app;
}

function stateQuery(request: Parameters<typeof parseQuery>[0]) {
  const { subgraphs, select } = parseQuery(request, StateQuery);
  return { subgraphs, ...(select && { select }) };
}

function placeOf({ address }: RequestedThread, checkpoint: Partial<CheckpointBody>): StatePlace {
  requireThread(address.threadId, checkpoint);
  const { checkpoint_id: checkpointId, checkpoint_ns: namespace = "" } = checkpoint;
  return { ...(checkpointId != null && { checkpointId }), ...(namespace !== "" && { namespace }) };
}
