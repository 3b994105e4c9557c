import * as library from "tidemark";
import { createRuntime } from "tidemark/worker";
import { servedGraphs } from "./graphs.ts";

const runtime = createRuntime({ graphs: servedGraphs(library) });

export const { Thread, Directory } = runtime;
export default runtime;
