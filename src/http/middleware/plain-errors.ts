import type { MiddlewareHandler } from "hono";
import * as v from "valibot";

/** What else is said of an error. */
const ErrorBody = v.object({
  error: v.object({ code: v.string(), message: v.string(), details: v.record(v.string(), v.unknown()) }),
});

type Details = v.InferOutput<typeof ErrorBody>["error"]["details"];

/** What the reference server of LangGraph's platform says, where clients look for its words. */
const WORDS: Readonly<Record<string, (details: Details) => string>> = {
  assistant_exists: () => "Assistant already exists",
  run_not_found: () => "Run not found",
  thread_busy: () => "Thread is busy",
  thread_exists: () => "Thread already exists",
  thread_not_found: ({ thread_id: id }) => `Thread with ID ${String(id)} not found`,
};

/** Makes of every error what the reference server answers: its text, and nothing else. */
export const plainErrors: MiddlewareHandler = async (context, next) => {
  await next();
  const { status, headers } = context.res;
  if (status < 400 || headers.get("content-type") !== "application/json") return;
  const { error } = v.parse(ErrorBody, await context.res.json());
  const isAboutAssistant = context.req.path.startsWith("/assistants/");
  const text =
    error.code === "assistant_not_found"
      ? assistantNotFound(error.details, isAboutAssistant)
      : (WORDS[error.code]?.(error.details) ?? error.message);
  context.res = new Response(text, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
};

function assistantNotFound({ assistant_id: id }: Details, isAboutAssistant: boolean): string {
  if (isAboutAssistant) return "Assistant not found";
  return `No assistant found for "${String(id)}". Make sure the assistant ID is for a valid assistant or a valid graph ID.`;
}
