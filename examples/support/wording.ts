import { env } from "cloudflare:workers";

const MODEL = "@cf/meta/llama-3.1-8b-instruct";

/** What this example uses of a Workers AI binding. */
interface TextModel {
  run(model: string, input: { readonly prompt: string }): Promise<unknown>;
}

/**
 * Words a reply. With a Workers AI binding called `AI` a model does it; without one, or when it fails, the facts are the
 * reply, so the example works offline.
 */
export async function wordReply(facts: string): Promise<string> {
  const model: unknown = Reflect.get(env, "AI");
  if (!isTextModel(model)) return facts;
  const prompt = `Say this to a customer in two friendly sentences, adding no facts: ${facts}`;
  try {
    const answer = await model.run(MODEL, { prompt });
    return isTextAnswer(answer) ? answer.response : facts;
  } catch (error) {
    console.warn("The model did not answer; replying with the facts.", error);
    return facts;
  }
}

function isTextModel(value: unknown): value is TextModel {
  return typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";
}

function isTextAnswer(value: unknown): value is { readonly response: string } {
  return (
    typeof value === "object" && value !== null && "response" in value && typeof value.response === "string"
  );
}
