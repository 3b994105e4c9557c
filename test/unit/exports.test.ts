import * as theirCheckpoint from "@langchain/langgraph-checkpoint";
import * as theirs from "@langchain/langgraph";
import * as theirChannels from "@langchain/langgraph/channels";
import * as theirPregel from "@langchain/langgraph/pregel";
import * as theirZod from "@langchain/langgraph/zod";
import * as theirSchemas from "@langchain/langgraph/zod/schema";
import { describe, expect, it } from "vitest";
import * as tidemark from "tidemark";
import * as channels from "tidemark/channels";
import * as checkpoint from "tidemark/checkpoint";
import * as pregel from "tidemark/pregel";

/** A graph moves over by changing its imports: what LangGraph exports is here, or is left out for a reason. */

const STREAM_V3 = "the third form of stream events is not offered";
const LANGCHAIN = "LangChain's own";
const INTERNAL = "of LangGraph's inside";
const DELTA = "values of DeltaChannels are saved like any other";
const SAVERS = "for savers of LangGraph, which have it from their own package";

const leftOut = {
  root: {
    ChatModelStreamImpl: STREAM_V3,
    EventLog: STREAM_V3,
    GraphRunStream: STREAM_V3,
    STREAM_EVENTS_V3_MODES: STREAM_V3,
    StreamChannel: STREAM_V3,
    SubgraphRunStream: STREAM_V3,
    convertToProtocolEvent: STREAM_V3,
    createGraphRunStream: STREAM_V3,
    createLifecycleTransformer: STREAM_V3,
    createMessagesTransformer: STREAM_V3,
    createSubgraphDiscoveryTransformer: STREAM_V3,
    createValuesTransformer: STREAM_V3,
    filterLifecycleEntries: STREAM_V3,
    filterSubgraphHandles: STREAM_V3,
    isCheckpointEnvelope: STREAM_V3,
    isNativeTransformer: STREAM_V3,
    GraphCallbackHandler: LANGCHAIN,
    COMMAND_SYMBOL: INTERNAL,
    _markInvalidResume: INTERNAL,
    getSubgraphsSeenSet: INTERNAL,
    MessageGraph: "a StateGraph of MessagesAnnotation has taken its place",
    NodeInterrupt: "interrupt() has taken its place: a question that cannot be answered is asked for ever",
    RemoteException: "graphs on other servers are not offered",
  },
  channels: {
    channelsFromCheckpoint: INTERNAL,
    createCheckpoint: INTERNAL,
    empty: "it is called EMPTY",
    isDeltaChannel: INTERNAL,
    deltaChannelsToSnapshot: DELTA,
    deltaChannelsWithPendingWrites: DELTA,
    exitDeltaLateTaskId: DELTA,
    exitDeltaTaskId: DELTA,
  },
  pregel: {},
  zod: {
    LanggraphZodMetaRegistry: "`registry` is its only instance",
    META_EXTRAS_DESCRIPTION_PREFIX: INTERNAL,
  },
  schemas: {},
  checkpoint: {
    EXCLUDED_METADATA_KEYS: SAVERS,
    JsonPlusSerializer: "MsgpackSerializer keeps more types",
    compareChannelVersions: SAVERS,
    compareWritesSortKeys: SAVERS,
    copyCheckpoint: "in the root",
    deepCopy: SAVERS,
    emptyCheckpoint: "in the root",
    getCheckpointId: SAVERS,
    maxChannelVersion: SAVERS,
    uuid6: SAVERS,
    validateNamespace: SAVERS,
    writesSortKey: SAVERS,
  },
} satisfies Record<string, Record<string, string>>;

describe("what LangGraph exports is exported, but for what is left out on purpose", () => {
  it.each([
    ["tidemark", theirs, tidemark, leftOut.root],
    ["tidemark/channels", theirChannels, channels, leftOut.channels],
    ["tidemark/pregel", theirPregel, pregel, leftOut.pregel],
    ["tidemark, for /zod", theirZod, tidemark, leftOut.zod],
    ["tidemark, for /zod/schema", theirSchemas, tidemark, leftOut.schemas],
    ["tidemark/checkpoint", theirCheckpoint, checkpoint, leftOut.checkpoint],
  ])("%s", (_, their, our, reasons) => {
    const missing = Object.keys(their).filter((name) => !(name in our));
    expect(missing.toSorted()).toEqual(Object.keys(reasons).toSorted());
    for (const reason of Object.values(reasons)) expect(reason).not.toBe("");
  });

  it("with errors that are told apart by class", () => {
    const missing = new tidemark.GraphValueError("no");
    expect(missing).toBeInstanceOf(tidemark.BaseLangGraphError);
    expect(missing).toMatchObject({ name: "GraphValueError", code: "graph_value", message: "no" });
    const unknown = new tidemark.UnknownInterruptError("not_pending", ["a"], []);
    expect(tidemark.isUnknownInterruptError(unknown)).toBe(true);
    expect(tidemark.isUnknownInterruptError(missing)).toBe(false);
  });

  it("with checkpoints of nothing, and copies", () => {
    const empty = tidemark.emptyCheckpoint();
    const form = { id: expect.any(String), ts: expect.any(String) };
    expect(empty).toEqual({ ...theirs.emptyCheckpoint(), ...form });
    const seen = { ...empty, channel_values: { a: {} }, versions_seen: { n: { a: 1 } } };
    const copy = tidemark.copyCheckpoint(seen);
    expect(copy).toEqual(theirs.copyCheckpoint(seen));
    expect(copy.channel_values).not.toBe(seen.channel_values);
    expect(copy.channel_values["a"]).toBe(seen.channel_values.a);
    expect(copy.versions_seen["n"]).not.toBe(seen.versions_seen.n);
  });
});
