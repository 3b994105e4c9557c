import type { BaseChannel } from "../../channels/base.ts";
import type { OverwriteUpdate } from "../../channels/overwrite.ts";
import type { AnnotationRoot, StateDefinition, StateType, UpdateType } from "../annotation.ts";
import type { ReducedSchema } from "./meta.ts";
import type { ObjectSchema, ShapeOf } from "./object-schema.ts";
import type { InputOf, OutputOf, StandardSchema } from "./standard-schema.ts";
import type { FieldsToStateDefinition, StateSchemaFields } from "./state-fields.ts";
import type { StateSchema } from "./state-schema.ts";

/** Whatever can define the state of a graph, or a part of it. */
export type StateDefinitionInit = StateDefinition | AnyAnnotationRoot | AnyStateSchema | ObjectSchema;

/** Any `AnnotationRoot`: without its `Node`, by which no two are alike. */
type AnyAnnotationRoot = Pick<AnnotationRoot<StateDefinition>, "lc_graph_name" | "spec">;
/** Any `StateSchema`. */
export type AnyStateSchema = Pick<StateSchema<StateSchemaFields>, "lc_graph_name" | "fields">;

/** Whatever can define the context of a graph's runs. */
export type ContextSchemaInit = StandardSchema | AnyAnnotationRoot | StateDefinition;

type PropertyToChannel<Property> =
  Property extends ReducedSchema<infer Schema, infer Update>
    ? BaseChannel<OutputOf<Schema>, OverwriteUpdate<OutputOf<Schema>> | Update>
    : Property extends StandardSchema
      ? BaseChannel<OutputOf<Property>, InputOf<Property>>
      : never;

/** The channels by key that a definition stands for. */
export type ToStateDefinition<T> =
  T extends StateSchema<infer Fields>
    ? FieldsToStateDefinition<Fields>
    : T extends AnnotationRoot<infer SD>
      ? SD
      : T extends ObjectSchema
        ? { readonly [K in keyof ShapeOf<T>]: PropertyToChannel<ShapeOf<T>[K]> }
        : T extends StateDefinition
          ? T
          : never;

/** A state that is one value, instead of an object of keys. */
type WholeOf<State> = string extends keyof State
  ? State
  : "__root__" extends keyof State
    ? Exclude<State["__root__"], undefined>
    : State;

/** What a node reads, by any form of definition; the `Fallback` where it is none. */
export type ExtractStateType<Schema, Fallback = Schema> = [ToStateDefinition<Schema>] extends [never]
  ? Fallback
  : ToStateDefinition<Schema> extends infer SD extends StateDefinition
    ? WholeOf<StateType<SD>>
    : Fallback;

/** What a node may return, by any form of definition; a part of the `Fallback` where it is none. */
export type ExtractUpdateType<Schema, Fallback = Schema> = [ToStateDefinition<Schema>] extends [never]
  ? Partial<Fallback>
  : ToStateDefinition<Schema> extends infer SD extends StateDefinition
    ? WholeOf<UpdateType<SD>>
    : Partial<Fallback>;

/** What the nodes of a graph find as `config.context`. */
export type ExtractContextType<Schema> =
  Schema extends AnnotationRoot<infer SD>
    ? StateType<SD>
    : Schema extends StandardSchema
      ? OutputOf<Schema>
      : Schema extends StateDefinition
        ? StateType<Schema>
        : unknown;
