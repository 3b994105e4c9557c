import type { DocumentedApp } from "../http/server/documentation-routes.ts";
import { graphSchemas } from "../graph/described-graph.ts";
import type { JsonSchema } from "./json-schema.ts";

/** The schemas of the deployed graphs, as components: those that refer to nothing, which would be sought in the document. */
export function graphSchemasOf(graphs: DocumentedApp["graphs"]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(graphs).flatMap(([name, graph]) => {
      const { input_schema, output_schema, state_schema, context_schema } = graphSchemas(name, graph);
      const schemas = {
        input: input_schema,
        output: output_schema,
        state: state_schema,
        context: context_schema,
      };
      return Object.entries(schemas).flatMap(([part, schema]) => {
        if (schema === null || JSON.stringify(schema).includes('"$ref"')) return [];
        const { $schema: _, ...definition } = schema;
        return [[`graph.${componentName(name)}.${part}`, definition] as const];
      });
    }),
  );
}

function componentName(graph: string): string {
  return graph.replaceAll(/[^\w.-]/g, "_");
}
