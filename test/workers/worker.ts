import { openapi } from "../../src/openapi/index.ts";
import { createRuntime } from "../../src/worker.ts";
import { watched } from "../support/bucket.ts";
import type { CrashPoint } from "../../src/thread/crash-points.ts";
import { comeTo, endWhenDurable } from "../support/crash-points.ts";
import { faulty } from "../support/faults.ts";
import { noteInstance } from "../support/instances.ts";
import { noteRecord } from "../support/records.ts";
import { noteReport } from "../support/reports.ts";
import {
  announcing,
  deployed,
  deployedSerde,
  deployedVersion,
  graphWebhooks,
  hookKeys,
  receivers,
  retained,
  tracing,
  webhookSecrets,
} from "./graphs.ts";
import { crons } from "./schedules.ts";
import { eventSchemas, webhooks } from "./senders.ts";

const runtime = createRuntime({
  graphs: deployed,
  serde: deployedSerde,
  openapi: openapi(),
  eventSchemas,
  webhooks,
  crons,
  retention: retained,
  // What a reset has cut off, the alarm takes up: soon enough for who waits.
  ...(RESETS && { lease: 1000 }),
  directory: { extract: ["topic", "order.id"], shards: 2 },
  events: { heartbeat: 100 },
  hooks: { keys: () => hookKeys, origin: "http://localhost" },
  deliveries: { secrets: () => webhookSecrets, webhooks: graphWebhooks, allowed: receivers },
  traces: (env, host) => tracing.open?.(env, host),
  log: { level: "debug", sink: noteRecord },
  report: noteReport,
});

export class Thread extends runtime.Thread {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(faulty(ctx), {
      ...env,
      CF_VERSION_METADATA: deployedVersion(),
      BLOBS: watched(env.BLOBS),
      ...(!announcing.isOn && { DIRECTORY: undefined }),
    });
    noteInstance(ctx);
  }

  override reached(point: CrashPoint): void {
    comeTo(this.ctx, point);
    if (RESETS && point === "run.committed") endWhenDurable(this.ctx);
  }
}

export const Directory = runtime.Directory;

export default runtime;
