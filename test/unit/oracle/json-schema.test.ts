import * as theirRoot from "@langchain/langgraph";
import * as theirZod from "@langchain/langgraph/zod";
import * as theirSchemas from "@langchain/langgraph/zod/schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";
import * as tidemark from "tidemark";
import { END, START, type Builder } from "./engine.ts";

/** JSON schemas of states, as both libraries give them. */

interface Library {
  readonly StateGraph: new (...init: unknown[]) => Builder;
  readonly StateSchema: new (fields: object) => { getJsonSchema(): unknown; getInputJsonSchema(): unknown };
  readonly ReducedValue: new (schema: unknown, init: object) => object;
  readonly DeltaValue: new (schema: unknown, init: object) => object;
  readonly UntrackedValue: new (schema?: unknown) => object;
  readonly MessagesValue: object;
  readonly MessagesDeltaValue: object;
  readonly Annotation: ((options?: unknown) => unknown) & { Root(spec: Record<string, unknown>): unknown };
  readonly withLangGraph: (schema: unknown, meta: object) => unknown;
  readonly getJsonSchemaFromSchema: (schema: unknown) => unknown;
  readonly isSerializableSchema: (schema: unknown) => boolean;
  readonly getStateTypeSchema: (graph: unknown) => unknown;
  readonly getUpdateTypeSchema: (graph: unknown) => unknown;
  readonly getInputTypeSchema: (graph: unknown) => unknown;
  readonly getOutputTypeSchema: (graph: unknown) => unknown;
  readonly getConfigTypeSchema: (graph: unknown) => unknown;
}

const ours = tidemark as unknown as Library;
const theirs = { ...theirRoot, ...theirZod, ...theirSchemas } as unknown as Library;

/** As it is sent. Objects inside others are closed by LangGraph, although zod takes further keys, and drops them. */
const plain = (value: unknown): unknown =>
  value === undefined
    ? value
    : JSON.parse(JSON.stringify(value, (key, part: unknown) => (key === "nested" ? open(part) : part)));

const open = (schema: unknown): unknown => ({ ...(schema as object), additionalProperties: undefined });

function both(act: (library: Library) => unknown): void {
  expect(plain(act(ours))).toEqual(plain(act(theirs)));
}

const compiled = (library: Library, ...init: unknown[]): unknown =>
  new library.StateGraph(...init)
    .addNode("node", () => ({}))
    .addEdge(START, "node")
    .addEdge("node", END)
    .compile();

function typeSchemas(library: Library, ...init: unknown[]): unknown[] {
  const graph = compiled(library, ...init);
  return [
    library.getStateTypeSchema(graph),
    library.getUpdateTypeSchema(graph),
    library.getInputTypeSchema(graph),
    library.getOutputTypeSchema(graph),
    library.getConfigTypeSchema(graph),
  ];
}

const fields = (library: Library): object => ({
  text: z.string().describe("what it is about"),
  count: z.number().default(0),
  maybe: z.string().optional(),
  list: new library.ReducedValue(
    z.array(z.string()).default(() => []),
    {
      inputSchema: z.string(),
      reducer: (list: string[], line: string) => [...list, line],
      jsonSchemaExtra: { title: "The list" },
    },
  ),
  lines: new library.DeltaValue(z.array(z.string()), {
    inputSchema: z.string(),
    reducer: (list: string[], lines: string[]) => [...list, ...lines],
  }),
  client: new library.UntrackedValue(z.object({ url: z.url() })),
  free: new library.UntrackedValue(),
  date: z.date(),
  old: z3.string(),
});

describe("JSON schemas", () => {
  it("of one schema are what its library says, and nothing where it says nothing", () => {
    const schemas = [
      z.string(),
      z.object({ a: z.number().int().min(1), b: z.enum(["x", "y"]).optional() }),
      z.array(z.union([z.string(), z.null()])).default([]),
      z.date(),
      z.custom<string>(),
      z3.string(),
      v.string(),
      undefined,
      "string",
    ];
    for (const schema of schemas) {
      both((library) => library.getJsonSchemaFromSchema(schema));
      both((library) => library.isSerializableSchema(schema));
    }
  });

  it("of a StateSchema", () => {
    both((library) => new library.StateSchema(fields(library)).getJsonSchema());
    both((library) => new library.StateSchema(fields(library)).getInputJsonSchema());
    const messages = ({ MessagesValue, MessagesDeltaValue }: Library): object => ({
      MessagesValue,
      MessagesDeltaValue,
    });
    both((library) => new library.StateSchema(messages(library)).getJsonSchema());
    both((library) => new library.StateSchema(messages(library)).getInputJsonSchema());
  });

  it("of a graph with StateSchemas", () => {
    both((library) => typeSchemas(library, new library.StateSchema(fields(library))));
    both((library) => {
      const [state, input, output] = [fields(library), { text: z.string() }, { count: z.number() }].map(
        (given) => new library.StateSchema(given),
      );
      return typeSchemas(library, { state, input, output });
    });
  });

  it("of a graph with schemas of zod 4", () => {
    both((library) => {
      const state = z.object({
        text: z.string().describe("what it is about"),
        count: z.number().default(0),
        maybe: z.string().optional(),
        nested: z.object({ a: z.array(z.number()) }),
        list: library.withLangGraph(z.array(z.string()), {
          reducer: { schema: z.string(), fn: (list: string[], line: string) => [...list, line] },
          default: () => [],
          jsonSchemaExtra: { langgraph_type: "list" },
        }) as z.ZodArray,
        told: library.withLangGraph(z.string().describe("its own"), {
          jsonSchemaExtra: { description: "not this" },
        }) as z.ZodString,
      });
      const context = z.object({ user: z.string(), depth: z.number().default(1) });
      return [
        typeSchemas(library, state),
        typeSchemas(library, state, context),
        typeSchemas(library, {
          state,
          input: z.object({ text: z.string() }),
          output: z.object({ count: z.number() }),
        }),
      ];
    });
  });

  it("leave objects inside open, as zod does", () => {
    const state = z.object({ nested: z.object({ a: z.string() }) });
    const nested = (library: Library): unknown =>
      (library.getStateTypeSchema(compiled(library, state)) as { properties: { nested: unknown } }).properties
        .nested;
    const own = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    expect(nested(ours)).toEqual(own);
    expect(nested(theirs)).toEqual({ ...own, additionalProperties: false });
  });

  it("have the description of the extra where the schema has none", () => {
    const state = z.object({
      text: tidemark.withLangGraph(z.string(), {
        jsonSchemaExtra: { title: "Text", description: "what is said" },
      }),
    });
    expect(ours.getStateTypeSchema(compiled(ours, state))).toMatchObject({
      properties: { text: { type: "string", title: "Text", description: "what is said" } },
    });
  });

  it("are not there for annotations, nor for what is no graph", () => {
    both((library) => typeSchemas(library, library.Annotation.Root({ a: library.Annotation() })));
    for (const no of [undefined, null, 1, {}, { builder: {} }])
      both((library) => library.getStateTypeSchema(no));
  });
});

describe("a library that does not know JSON Schema", () => {
  const state = z3.object({
    text: z3.string(),
    count: z3.number().default(0),
    maybe: z3.string().optional(),
  });

  it("leaves its keys open", () => {
    expect(ours.getStateTypeSchema(compiled(ours, state))).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { text: {}, count: {}, maybe: {} },
      required: ["text", "count"],
      additionalProperties: false,
    });
    expect(ours.getStateTypeSchema(compiled(ours, v.object({ text: v.string() })))).toMatchObject({
      properties: { text: {} },
    });
  });

  it("is spoken for by a converter", () => {
    const schema = v.object({ text: v.string(), more: v.optional(v.number()) });
    tidemark.registerJsonSchema("valibot", (given) => {
      const { type } = given as unknown as { type: string };
      return type === "optional" ? undefined : { type };
    });
    expect(ours.getStateTypeSchema(compiled(ours, schema))).toMatchObject({
      properties: { text: { type: "string" }, more: {} },
      required: ["text"],
    });
    expect(ours.getJsonSchemaFromSchema(v.boolean())).toEqual({ type: "boolean" });
  });
});
