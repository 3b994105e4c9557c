import { createRuntime } from "../../src/worker.ts";
import { watched } from "../support/bucket.ts";
import { noteInstance } from "../support/instances.ts";
import { noteReport } from "../support/reports.ts";
import { deployed, deployedSerde, retained } from "./graphs.ts";

const runtime = createRuntime({
  graphs: deployed,
  serde: deployedSerde,
  retention: retained,
  report: noteReport,
});

export class Thread extends runtime.Thread {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, { ...env, BLOBS: watched(env.BLOBS) });
    noteInstance(ctx);
  }
}

export const Directory = runtime.Directory;

export default runtime;
