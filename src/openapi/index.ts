import type { Documentation } from "../http/server/documentation-routes.ts";
import { VERSION } from "../version.ts";
import { documentOf, type DocumentInfo } from "./document.ts";
import { pageOf } from "./page.ts";

/**
 * The API of a Worker, described: `/openapi.json`, and `/docs` that shows it.
 *
 * @module
 */

export type { Documentation } from "../http/server/documentation-routes.ts";

export interface OpenApiOptions extends Partial<DocumentInfo> {
  /** Whether everybody may see it. By default only those who may read assistants: it tells of the deployed graphs. */
  readonly public?: boolean;
}

const INFO: DocumentInfo = {
  title: "Tidemark",
  version: VERSION,
  description:
    "Durable agent graphs. Each thread is one conversation; a run of a graph on it survives crashes, deploys, and waiting for people.",
};

/**
 * Serves the document of the API, made from the schemas that check requests.
 *
 * @example
 * const runtime = createRuntime({ graphs: { support }, openapi: openapi() });
 */
export function openapi({ public: isPublic = false, ...info }: OpenApiOptions = {}): Documentation {
  return {
    isPublic,
    describe: (app) => {
      const document = documentOf(app, { ...INFO, ...info });
      return { document, page: () => pageOf(document) };
    },
  };
}
