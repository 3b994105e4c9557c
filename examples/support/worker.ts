import { createRuntime } from "tidemark/worker";
import { support } from "./graph.ts";

const runtime = createRuntime({ graphs: { support } });

export const { Thread, Directory } = runtime;
export default runtime;
