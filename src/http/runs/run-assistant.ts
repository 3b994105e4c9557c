import type { Context } from "hono";
import { RefusedError } from "../../errors.ts";
import type { AppOptions } from "../app-options.ts";
import { accessTo, authorize } from "../auth/authorization.ts";
import { directoryOf } from "../threads/search-routes.ts";

/** What an assistant has a say in. */
interface AssistedBody {
  readonly assistant_id?: string | null | undefined;
  readonly config: { readonly configurable?: Record<string, unknown> | undefined };
  readonly context?: unknown;
}

/** A body with what its assistant adds. */
interface Assisted<Body> {
  readonly graph: string | undefined;
  readonly body: Body;
}

/**
 * The name of a graph means that graph as it is: nobody has to be asked. Anything else is the id of an assistant, whose
 * configuration the run gets; its own goes before that.
 */
export async function withAssistant<Body extends AssistedBody>(
  context: Context,
  options: AppOptions,
  body: Body,
): Promise<Assisted<Body>> {
  const { assistant_id: id } = body;
  if (id == null || Object.hasOwn(options.graphs, id)) return { graph: id ?? undefined, body };
  await authorize(context, "assistants:read", { assistant_id: id });
  const view = {
    graphs: Object.keys(options.graphs),
    access: accessTo(context, "assistants"),
    ownOfGraphs: true,
  };
  const found = await directoryOf(context, options).getAssistant(id, view);
  if (!found.ok) throw new RefusedError(found.error.code, found.error.message, found.error);
  const { graphId, config, context: given } = found.value;
  return { graph: graphId, body: merged(body, config, given) };
}

function merged<Body extends AssistedBody>(body: Body, config: object, context: object): Body {
  const { configurable, ...others } = config as { readonly configurable?: object };
  const { config: own } = body;
  const ownContext = body.context ?? {};
  const isMerged = typeof ownContext === "object" && Object.keys(context).length > 0;
  return {
    ...body,
    config: { ...others, ...own, configurable: { ...configurable, ...own.configurable } },
    ...(isMerged && { context: { ...context, ...ownContext } }),
  };
}
