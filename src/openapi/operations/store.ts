import * as v from "valibot";
import { FoundItems, Item, Namespaces } from "../../http/answers/store.ts";
import {
  DeleteItemBody,
  ItemQuery,
  NamespacesBody,
  PutItemBody,
  SearchItemsBody,
} from "../../http/store/store-schemas.ts";
import type { Operations } from "../operation.ts";
import { OF_DIRECTORY } from "./faults.ts";

export const storeOperations = {
  "PUT /store/items": {
    id: "putItem",
    summary: "Remember an item across threads",
    body: {
      schema: PutItemBody,
      example: { namespace: ["customers", "c-17"], key: "tone", value: { formal: true } },
    },
    answers: { 204: null },
    errors: [...OF_DIRECTORY, "invalid_namespace", "value_too_large"],
  },
  "GET /store/items": {
    id: "getItem",
    summary: "An item, or null",
    query: ItemQuery,
    answers: { 200: v.nullable(Item) },
    errors: [...OF_DIRECTORY, "invalid_namespace"],
  },
  "DELETE /store/items": {
    id: "deleteItem",
    summary: "Forget an item",
    body: { schema: DeleteItemBody, example: { namespace: ["customers", "c-17"], key: "tone" } },
    answers: { 204: null },
    errors: [...OF_DIRECTORY, "invalid_namespace"],
  },
  "POST /store/items/search": {
    id: "searchItems",
    summary: "Find items",
    body: { schema: SearchItemsBody, example: { namespace_prefix: ["customers"], limit: 10 } },
    answers: { 200: FoundItems },
    errors: [...OF_DIRECTORY, "invalid_namespace", "invalid_filter"],
  },
  "POST /store/namespaces": {
    id: "listNamespaces",
    summary: "The namespaces that have items",
    body: { schema: NamespacesBody, example: { prefix: ["customers"], max_depth: 2 } },
    answers: { 200: Namespaces },
    errors: [...OF_DIRECTORY, "invalid_namespace"],
  },
} as const satisfies Operations;
