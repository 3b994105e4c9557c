import { AIMessageChunk, type UsageMetadata } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { plainJson } from "../../../src/json.ts";
import {
  isMessageData,
  type MessageData,
  mergedMessage,
} from "../../../src/thread/events/merged-messages.ts";

type Fields = Exclude<ConstructorParameters<typeof AIMessageChunk>[0], string | readonly unknown[]> & {
  readonly usage?: UsageMetadata;
};

function asData(chunk: AIMessageChunk): MessageData {
  const data: unknown = plainJson(chunk);
  if (!isMessageData(data)) throw new Error("not a message");
  return data;
}

/** What both make of these chunks. */
function merged(chunks: readonly Fields[]): {
  readonly ours: MessageData;
  readonly theirs: unknown;
} {
  const made = chunks.map((fields) =>
    Object.assign(new AIMessageChunk({ id: "m", ...fields }), { usage_metadata: fields.usage }),
  );
  const [first, ...rest] = made;
  if (first === undefined) throw new Error("no chunks");
  const theirs = rest.reduce((left, right) => left.concat(right), first);
  return { ours: made.map(asData).reduce(mergedMessage), theirs: asData(theirs) };
}

const call = (args: string, named = {}) => ({
  content: "",
  tool_call_chunks: [{ type: "tool_call_chunk" as const, index: 0, args, ...named }],
});

describe("the pieces of a message", () => {
  it.for<readonly [string, readonly Fields[]]>([
    ["texts", [{ content: "a" }, { content: "" }, { content: "b\u2028" }]],
    [
      "blocks by their index",
      [
        { content: [{ type: "text", text: "a", index: 0 }] },
        { content: [{ type: "text", text: "b", index: 0 }] },
        { content: [{ type: "text", text: "c", index: 1 }] },
      ],
    ],
    ["calls of tools", [call("", { name: "find", id: "c" }), call('{"q":'), call('"tea"}')]],
    [
      "usage",
      [
        { content: "a", usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 } },
        { content: "b", usage: { input_tokens: 0, output_tokens: 2, total_tokens: 2 } },
      ],
    ],
    ["what goes with it", [{ content: "a", response_metadata: { model_name: "m" } }, { content: "b" }]],
  ])("are joined as LangChain joins them: %s", ([, chunks]) => {
    const { ours, theirs } = merged(chunks);
    expect(theirs).toMatchObject(ours);
  });

  it("make no key mean anything", () => {
    const piece = JSON.parse('{"id":"m","content":"a","__proto__":{"polluted":1}}') as MessageData;
    const message = mergedMessage(piece, piece);
    expect(Object.getPrototypeOf(message)).toBe(Object.prototype);
    expect(Object.hasOwn(message, "__proto__")).toBe(true);
  });
});
