import * as v from "valibot";
import { JsonObject } from "./parts.ts";

export const ErrorBody = v.pipe(
  v.object({
    error: v.object({
      code: v.pipe(v.string(), v.description("Stable: what programs decide by.")),
      message: v.string(),
      details: JsonObject,
    }),
    message: v.pipe(v.string(), v.description("The message again, for clients that look here.")),
    detail: v.pipe(v.string(), v.description("As `message`.")),
  }),
  v.description("The one form of every error."),
);

export type ErrorBody = v.InferOutput<typeof ErrorBody>;
