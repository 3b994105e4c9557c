import { Hono } from "./hono.ts";
import type { AppOptions } from "./app-options.ts";
import { authentication } from "./auth/authentication.ts";
import { assistantGraphRoutes, assistantRoutes } from "./assistants/assistant-routes.ts";
import { cronRoutes } from "./crons/cron-routes.ts";
import { crossOrigin } from "./middleware/cross-origin.ts";
import { documentationRoutes } from "./server/documentation-routes.ts";
import { graphCronRoutes } from "./crons/graph-cron-routes.ts";
import { directoryRoutes } from "./threads/directory-routes.ts";
import { errorHandler } from "./errors.ts";
import { eventRoutes, threadStreamRoutes } from "./events/event-routes.ts";
import { serverInfo } from "./server/info.ts";
import { deliveryRoutes } from "./events/delivery-routes.ts";
import { healthRoutes } from "./server/health-routes.ts";
import { hookRoutes } from "./hooks/hook-routes.ts";
import { interruptRoutes } from "./threads/interrupt-routes.ts";
import { inboundEventRoutes } from "./events/inbound-event-routes.ts";
import { lifeCycleRoutes, pruneRoute } from "./threads/life-cycle-routes.ts";
import { localOnly } from "./middleware/local-only.ts";
import { notFound } from "./not-found.ts";
import { requestLog } from "./middleware/request-log.ts";
import { readUnread } from "./requests/unread-body.ts";
import { plainErrors } from "./middleware/plain-errors.ts";
import { plainTextAsJson } from "./middleware/plain-text.ts";
import { protocolRoutes } from "./protocol/routes.ts";
import { socketRejections } from "./protocol/socket-rejections.ts";
import { runRoutes } from "./runs/run-routes.ts";
import { cancelRoutes } from "./runs/cancel-routes.ts";
import { createRunRoutes, joinRoutes, runsRoutes, statelessRunRoutes } from "./runs/runs-routes.ts";
import { stateRoutes } from "./threads/state-routes.ts";
import { storeRoutes } from "./store/store-routes.ts";
import { searchRoutes } from "./threads/search-routes.ts";
import { tenantRoutes } from "./tenants/tenant-routes.ts";
import { threadRoutes } from "./threads/thread-routes.ts";
import { transferRoutes } from "./threads/transfer-routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** The router in front of the thread objects. */
export function createApp(options: AppOptions): Hono {
  // Paths are routed as they were sent: an id in one is decoded once, by who reads it.
  const app = new Hono({ getPath: (request) => rawPath(request.url) });
  app.use(requestLog(options.log));
  app.use(readUnread);
  if (options.hasPlainErrors === true) app.use(plainErrors);
  app.onError(errorHandler(options.report));
  app.notFound((context) => notFound(context, app));
  app.use(socketRejections);
  app.route("/webhooks", webhookRoutes(options));
  app.route("/hooks", hookRoutes(options));
  if (options.auth === undefined) app.use(localOnly(options.origins));
  app.use(crossOrigin(options.origins));
  app.use(plainTextAsJson(options.origins));
  app.route("/", healthRoutes(options));
  app.get("/info", (context) => {
    const hasDirectory = options.directories(context.env) !== undefined;
    return context.json(serverInfo(hasDirectory, options.hasCrons === true));
  });
  const { documentation } = options;
  const documented = documentation && documentationRoutes(documentation, options, app);
  if (documented !== undefined && documentation?.isPublic) app.route("/", documented);
  app.use(authentication(options));
  if (documented !== undefined && !documentation?.isPublic) app.route("/", documented);
  app.route("/threads/:thread_id", runRoutes(options));
  app.route("/threads/:thread_id", createRunRoutes(options));
  if (options.hasCrons === true) app.route("/threads/:thread_id", cronRoutes(options));
  app.route("/threads/:thread_id", runsRoutes(options));
  app.route("/threads/:thread_id", joinRoutes(options));
  app.route("/threads/:thread_id", eventRoutes(options));
  app.route("/threads/:thread_id", threadStreamRoutes(options));
  app.route("/threads/:thread_id", protocolRoutes(options));
  app.route("/threads/:thread_id", deliveryRoutes(options));
  app.route("/threads/:thread_id", stateRoutes(options));
  app.route("/threads/:thread_id", inboundEventRoutes(options));
  app.route("/threads/:thread_id", transferRoutes(options));
  app.route("/threads/:thread_id", lifeCycleRoutes(options));
  if (options.hasCrons === true) app.route("/runs/crons", graphCronRoutes(options));
  app.route("/runs", cancelRoutes(options));
  app.route("/", statelessRunRoutes(options));
  app.route("/", joinRoutes(options));
  app.route("/", eventRoutes(options));
  app.route("/threads", pruneRoute(options));
  app.route("/threads", searchRoutes(options));
  app.route("/threads", threadRoutes(options));
  app.route("/assistants", assistantRoutes(options));
  app.route("/assistants/:assistant_id", assistantGraphRoutes(options));
  app.route("/store", storeRoutes(options));
  app.route("/tenant", tenantRoutes(options));
  app.route("/directory", directoryRoutes(options));
  app.route("/interrupts", interruptRoutes(options));
  return app;
}

function rawPath(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}
