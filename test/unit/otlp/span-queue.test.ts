import { describe, expect, it } from "vitest";
import { Log, type LogRecord } from "../../../src/log.ts";
import { type Sent, SpanQueue } from "../../../src/otlp/span-queue.ts";
import type { SpanRecord } from "../../../src/otlp/span-record.ts";

/** A queue whose endpoint answers so, and what has become of its spans. */
function queueTo(answer: () => Sent) {
  const batches: number[] = [];
  const records: LogRecord[] = [];
  const work: Promise<unknown>[] = [];
  const log = new Log({ sink: (record) => records.push(record) }, () => 0);
  const host = { now: () => 0, waitUntil: (of: Promise<unknown>) => void work.push(of), log };
  const queue = new SpanQueue(host, async (spans) => {
    batches.push(spans.length);
    return Promise.resolve(answer());
  });
  const add = (count: number): void => {
    for (let n = 0; n < count; n++) queue.add({} as SpanRecord);
  };
  const addLong = (count: number, length: number): void => {
    for (let n = 0; n < count; n++) queue.add({ name: "x".repeat(length) } as SpanRecord);
  };
  return { queue, add, addLong, batches, records, work };
}

describe("SpanQueue", () => {
  it("sends nothing when there is nothing", async () => {
    const { queue, batches } = queueTo(() => ({ status: "taken" }));
    await queue.flush();
    expect(batches).toEqual([]);
  });

  it("sends batches as soon as they are full, and the rest when it is flushed", async () => {
    const { queue, add, batches, work } = queueTo(() => ({ status: "taken" }));
    add(512);
    await Promise.all(work);
    expect(batches).toEqual([512]);
    add(10);
    await queue.flush();
    expect(batches).toEqual([512, 10]);
  });

  it("keeps so many and no more for an endpoint that takes none, and says how many it has dropped", async () => {
    let answer: Sent = { status: "again", reason: "503" };
    const { queue, add, batches, records, work } = queueTo(() => answer);
    add(3000);
    await Promise.all(work);
    await queue.flush();
    expect(records.at(-1)).toMatchObject({ event: "traces.not_taken", code: "503", waiting: 2048 });
    expect(records.reduce((sum, { dropped }) => sum + Number(dropped), 0)).toBe(3000 - 2048);
    batches.length = 0;
    answer = { status: "taken" };
    await queue.flush();
    expect(batches).toEqual([512, 512, 512, 512]);
  });

  it("keeps no more than memory is given for where spans are long, and sends few of them at once", async () => {
    let answer: Sent = { status: "again", reason: "503" };
    const { queue, addLong, batches, records, work } = queueTo(() => answer);
    addLong(10, 600_000);
    await Promise.all(work);
    await queue.flush();
    expect(records.at(-1)).toMatchObject({ waiting: 6 });
    batches.length = 0;
    answer = { status: "taken" };
    await queue.flush();
    expect(batches).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it("drops what the endpoint will never take", async () => {
    const { queue, add, batches, records } = queueTo(() => ({ status: "refused", reason: "400" }));
    add(3);
    await queue.flush();
    await queue.flush();
    expect(batches).toEqual([3]);
    expect(records).toMatchObject([{ code: "400", waiting: 0, dropped: 3 }]);
  });
});
