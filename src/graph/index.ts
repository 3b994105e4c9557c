export { Annotation, AnnotationRoot } from "./annotation.ts";
export type {
  Reducer,
  ReducerOptions,
  SingleReducer,
  StateDefinition,
  StateType,
  UpdateType,
} from "./annotation.ts";
export type { BranchOptions, PathMap, RoutePath, RouteResult } from "./branch.ts";
export type { CompileOptions } from "./compile-options.ts";
export { CompiledStateGraph } from "./compiled-state-graph.ts";
export type {
  ConditionalEdgeRouter,
  ConditionalEdgeRouterTypes,
  GraphNode,
  GraphNodeReturnValue,
  GraphNodeTypes,
  LangGraphRunnableConfig,
  Runtime,
} from "./graph-node.ts";
export type {
  LangChainMessage,
  Message,
  MessageContent,
  MessageLike,
  Messages,
  MessageType,
  ToolCall,
} from "./messages/message.ts";
export { messagesDeltaReducer } from "./messages/delta-reducer.ts";
export {
  MessagesAnnotation,
  MessagesDeltaValue,
  MessagesValue,
  MessagesZodMeta,
  MessagesZodState,
} from "./messages/messages-state.ts";
export { pushMessage } from "./messages/push-message.ts";
export type { PushMessageOptions } from "./messages/push-message.ts";
export {
  messagesReducer,
  messagesStateReducer,
  messagesStateReducer as addMessages,
} from "./messages/reducer.ts";
export type { MessagesReducer } from "./messages/reducer.ts";
export { registerMessages } from "./messages/register-messages.ts";
export type { MessageClasses } from "./messages/register-messages.ts";
export { REMOVE_ALL_MESSAGES, RemoveMessage } from "./messages/remove-message.ts";
export type { NodeOptions } from "./node.ts";
export type { NodeAction, NodeFunction, NodeReturn, NodeRunnable } from "./node-action.ts";
export type { NodeDefaults, NodeErrorHandler, NodePolicyOptions } from "./node-policies.ts";
export { DeltaValue } from "./schema/delta-value.ts";
export type { DeltaValueInit } from "./schema/delta-value.ts";
export { getJsonSchemaFromSchema, isSerializableSchema, registerJsonSchema } from "./schema/json-schema.ts";
export type { JsonSchema, JsonSchemaConverter } from "./schema/json-schema.ts";
export {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getStateTypeSchema,
  getUpdateTypeSchema,
} from "./type-schemas.ts";
export { getSchemaDefaultGetter } from "./schema/default-of.ts";
export { schemaMetaRegistry, SchemaMetaRegistry, withLangGraph } from "./schema/meta.ts";
export type { ReducedSchema, SchemaMeta } from "./schema/meta.ts";
export { ReducedValue } from "./schema/reduced-value.ts";
export type { ReducedValueInit } from "./schema/reduced-value.ts";
export { isStandardSchema } from "./schema/standard-schema.ts";
export type { Issue, StandardSchema } from "./schema/standard-schema.ts";
export type { FieldsToStateDefinition, StateSchemaField, StateSchemaFields } from "./schema/state-fields.ts";
export { StateSchema } from "./schema/state-schema.ts";
export type {
  AnyStateSchema,
  ContextSchemaInit,
  ExtractStateType,
  ExtractUpdateType,
  StateDefinitionInit,
  ToStateDefinition,
} from "./schema/state-types.ts";
export { UntrackedValue } from "./schema/untracked-value.ts";
export type { UntrackedValueInit } from "./schema/untracked-value.ts";
export { registry } from "./schema/zod-registry.ts";
export { CompiledEntrypoint, entrypoint, EntrypointFinal, getPreviousState } from "./entrypoint.ts";
export type { EntrypointOptions } from "./entrypoint.ts";
export { task } from "./task.ts";
export type { TaskFunction, TaskOptions } from "./task.ts";
export { CompiledGraph, Graph } from "./graph.ts";
export type { CompileGraphOptions } from "./graph.ts";
export { StateGraph } from "./state-graph.ts";
export type { StateGraphArgs, StateGraphInit, StateGraphOptions } from "./state-graph-types.ts";
