import { openapi } from "tidemark/openapi";
import { createRuntime } from "tidemark/worker";
import { support } from "./graph.ts";

const runtime = createRuntime({ graphs: { support }, openapi: openapi() });

export const { Thread, Directory } = runtime;
export default runtime;
