import { describe, expect, it } from "vitest";
import { MsgpackSerializer } from "../../../src/checkpoint/index.ts";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { COPY, ELSEWHERE, KEEP, LIST } from "../../../src/storage/patch/node.ts";
import { toHex } from "../../../src/storage/stored-id.ts";
import { archiveOf, changed, exported, importInto, type Row } from "../../support/archives.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** Rows of a few bytes that come to far more than an object has room for. */

const asking = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("ok?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

const MEMBERS = 1024;
const ROWS = 30;
const doubled = (count: number) => [COPY, 0, count, COPY, 0, count];

const serde = new MsgpackSerializer();

/** A paused thread and its newest checkpoint. */
async function pausedThread(): Promise<{ readonly thread: TestThread; readonly newest: string }> {
  deploy({ asking });
  const thread = new TestThread();
  await thread.invoke({ input: { log: Array.from({ length: MEMBERS }, () => "x") } });
  return { thread, newest: (await thread.state()).checkpoint.checkpoint_id };
}

/** Has rows after its newest checkpoint. `nodes`: what each does to the channel. */
async function withRows(nodes: readonly unknown[]) {
  const { thread, newest } = await pausedThread();
  const records = await changed(await exported(thread), "checkpoints", (row) => {
    if (toHex(bytesOf(row)) !== newest.replaceAll("-", "")) return row;
    const rows = [row];
    for (const [index, node] of nodes.entries()) {
      const [type, body] = serde.dumpsTyped([KEEP, 0, "log", node]);
      const parent = rows.at(-1)?.["id"] ?? null;
      rows.push({ ...row, id: idAfter(row, index), parent, level: 0, base: null, type, body });
    }
    return rows;
  });
  return { thread: await importInto(new TestThread(), await archiveOf(records)), newest };
}

function bytesOf({ id }: Row): Uint8Array {
  return id instanceof Uint8Array ? id : new Uint8Array();
}

function idAfter(row: Row, index: number): Uint8Array {
  const id = bytesOf(row).slice();
  id[0] = 0xf0;
  id[1] = index;
  return id;
}

const each = (node: (index: number) => unknown) => Array.from({ length: ROWS }, (_, index) => node(index));

const shared = [COPY, 0, MEMBERS];

describe("an archive whose rows come to more than an object has room for", () => {
  it.each<readonly [string, readonly unknown[]]>([
    [
      "a list that is copied twice in each of 30 rows",
      each((index) => [LIST, ...doubled(MEMBERS * 2 ** index)]),
    ],
    [
      "a list that is referred to twice in each",
      each((index) => [ELSEWHERE, ["log"], [LIST, ...doubled(MEMBERS * 2 ** index)]]),
    ],
    [
      "a list that one row copies 100,000 times",
      [[LIST, ...Array.from({ length: 100_000 }, () => shared).flat()]],
    ],
  ])("is told of when it is read, and all before it is there: %s", async (_, nodes) => {
    const { thread, newest } = await withRows(nodes);
    await expect(thread.state()).rejects.toMatchObject({
      code: "undecodable",
      message: expect.stringMatching(/in the row of checkpoint "f0.*" more comes of its patches/),
      details: { checkpoint_id: expect.stringMatching(/^f0/) },
    });
    expect((await thread.state(newest)).values["log"]).toHaveLength(MEMBERS);
    expect(await thread.delete()).toBe(204);
  });

  it("is told of when what tasks have written is read", async () => {
    const { thread } = await pausedThread();
    const long = [LIST, ...Array.from({ length: 1000 }, () => shared).flat()];
    const writes = Array.from({ length: 20 }, (_, index) => [index, "log", long]);
    const [type, body] = serde.dumpsTyped([Array.from(writes.keys()), "", writes]);
    const records = await changed(await exported(thread), "writes", (row) => ({ ...row, type, body }));
    const other = await importInto(new TestThread(), await archiveOf(records));
    await expect(other.state()).rejects.toMatchObject({
      code: "undecodable",
      message: expect.stringContaining("more comes of its patches"),
    });
  });
});
