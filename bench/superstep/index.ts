import { join } from "node:path";
import { createTestHarness } from "wrangler";
import { loopInput, recursionLimit } from "../graphs/loop.ts";
import type { Result } from "../support/table.ts";
import { compare, median, STEADY, time, type Measure } from "../support/timing.ts";
import type { Measured } from "./worker.ts";

const SUPERSTEPS = 1000;
/** Besides one for each superstep of the node: the input, and the superstep of `__start__`. */
const OTHER_CHECKPOINTS = 2;

/** The engines, and what is left of ours when it does nothing but its SQL. */
type Subject = "tidemark" | "langgraph" | "two-rows" | "one-row";

/**
 * One superstep in workerd, in one process: ours in a Durable Object, durable; theirs in the same kind of object with its
 * saver in memory. Measured from inside, and, since clocks may stand still in there, from outside too.
 */
export async function benchSuperstep(): Promise<Result[]> {
  const harness = createTestHarness({
    workers: [{ configPath: join(import.meta.dirname, "wrangler.toml") }],
  });
  const { origin } = (await harness.listen()).url;
  try {
    const inside = await compare(insideOf(origin, "tidemark"), insideOf(origin, "langgraph"), STEADY);
    const outside = await compare(
      withoutOverhead((supersteps) => invoke(origin, supersteps)),
      withoutOverhead((supersteps) => measured(origin, "langgraph", supersteps)),
      STEADY,
    );
    const alone = async (rows: Subject) =>
      compare(insideOf(origin, rows), insideOf(origin, "langgraph"), STEADY);
    return [
      { work: `superstep of a loop of ${SUPERSTEPS}, in the object`, ...inside, budget: 1 / 4 },
      { work: "the same over HTTP, seen from outside", ...outside },
      { work: "its SQL alone: two rows in a transaction", ...(await alone("two-rows")) },
      { work: "the same bytes as one row", ...(await alone("one-row")) },
    ];
  } finally {
    await harness.close();
  }
}

function insideOf(origin: string, subject: Subject): Measure {
  return async () => {
    const { milliseconds, checkpoints } = await measured(origin, subject, SUPERSTEPS);
    const expected = SUPERSTEPS + OTHER_CHECKPOINTS;
    if (checkpoints !== expected) {
      throw new Error(`${subject} has stored ${checkpoints} checkpoints, not ${expected}.`);
    }
    return milliseconds / SUPERSTEPS;
  };
}

/** The time of a request for all supersteps less that of a request for one: what the way there takes does not count. */
function withoutOverhead(request: (supersteps: number) => Promise<unknown>): Measure {
  return async () => {
    const overhead: number[] = [];
    for (let round = 0; round < 3; round++) overhead.push(await time(() => request(1)));
    const total = await time(() => request(SUPERSTEPS));
    return (total - median(overhead)) / (SUPERSTEPS - 1);
  };
}

async function measured(origin: string, subject: Subject, supersteps: number): Promise<Measured> {
  const answer = await post(`${origin}/measure/${subject}?supersteps=${supersteps}`);
  return answer as Measured;
}

async function invoke(origin: string, supersteps: number): Promise<unknown> {
  const thread = crypto.randomUUID();
  return post(`${origin}/threads/${thread}/invoke`, {
    input: loopInput(supersteps),
    config: { recursion_limit: recursionLimit(supersteps) },
  });
}

async function post(url: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
