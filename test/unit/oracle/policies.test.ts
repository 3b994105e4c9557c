import { describe, expect, it } from "vitest";
import { ours, START, theirs, type Library } from "./engine.ts";
import { graphOf, policyCases, quick } from "./policy-cases.ts";
import { compare } from "./session.ts";

it.each(Object.entries(policyCases))("%s: as in LangGraph", async (_, { build, script }) => {
  const result = await compare(build, script);
  expect(result.ours).toEqual(result.theirs);
});

async function attemptsAt(library: Library, error: unknown): Promise<number> {
  let calls = 0;
  const graph = graphOf(library)
    .addNode(
      "a",
      () => {
        calls++;
        throw error;
      },
      { retryPolicy: quick },
    )
    .addEdge(START, "a")
    .compile({});
  await graph.invoke({ log: [] }).catch(() => undefined);
  return calls;
}

describe("without retryOn, the same errors are tried again", () => {
  const named = (name: string): Error => Object.assign(new Error("x"), { name });
  it.each([
    new Error("x"),
    new Error("Cancelled by someone"),
    new Error("AbortError: no"),
    named("AbortError"),
    named("GraphValueError"),
    named("TypeError"),
    Object.assign(new Error("x"), { code: "ECONNABORTED" }),
    Object.assign(new Error("x"), { code: "ECONNRESET" }),
    ...[399, 400, 401, 404, 407, 408, 409, 429, 500].map((status) =>
      Object.assign(new Error(`status ${status}`), { status }),
    ),
    Object.assign(new Error("response 409"), { response: { status: 409 } }),
    Object.assign(new Error("response 503"), { response: { status: 503 } }),
    Object.assign(new Error("quota"), { error: { code: "insufficient_quota" } }),
    Object.assign(new Error("rate"), { error: { code: "rate_limit" } }),
  ])("%s", async (error) => {
    expect(await attemptsAt(ours, error)).toBe(await attemptsAt(theirs, error));
  });
});
