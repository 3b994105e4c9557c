import type { Context } from "hono";
import { RefusedError } from "../errors.ts";
import type { AppOptions } from "./app.ts";
import type { RunCreate } from "./run-create.ts";
import { directoryOf } from "./search-routes.ts";

/** A run's body with what its assistant adds. */
interface AssistedRun {
  readonly graph: string | undefined;
  readonly body: RunCreate;
}

/**
 * The name of a graph means that graph as it is: nobody has to be asked. Anything else is the id of an assistant, whose
 * configuration the run gets; its own goes before that.
 */
export async function withAssistant(
  context: Context,
  options: AppOptions,
  body: RunCreate,
): Promise<AssistedRun> {
  const { assistant_id: id } = body;
  if (id === undefined || Object.hasOwn(options.graphs, id)) return { graph: id, body };
  const found = await directoryOf(context, options).getAssistant(id, Object.keys(options.graphs));
  if (!found.ok) throw new RefusedError(found.error.code, found.error.message, found.error);
  const { graphId, config, context: given } = found.value;
  return { graph: graphId, body: merged(body, config, given) };
}

function merged(body: RunCreate, config: object, context: object): RunCreate {
  const { configurable, ...others } = config as { readonly configurable?: object };
  const { config: own, context: ownContext = {} } = body;
  const isMerged = typeof ownContext === "object" && ownContext !== null && Object.keys(context).length > 0;
  return {
    ...body,
    config: { ...others, ...own, configurable: { ...configurable, ...own.configurable } },
    ...(isMerged && { context: { ...context, ...ownContext } }),
  };
}
