import type { ThreadEntry } from "../../src/directory/protocol.ts";

export const THREADS = 100_000;

const STATUSES = ["interrupted", "error", "busy"] as const;
const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

export function threadId(index: number): string {
  return `thread-${index}`;
}

/**
 * A thread of a tenant with 10,000 users: ten threads for each, half of them on one plan, one in a hundred asks something. The
 * oldest 5,000 are of an import: nothing newer is.
 */
export function entryOf(index: number): ThreadEntry {
  const createdAt = START + index * 60_000;
  const status = index % 100 < STATUSES.length ? (STATUSES[index % 100] ?? "idle") : "idle";
  return {
    threadId: threadId(index),
    version: 1,
    status,
    createdAt,
    updatedAt: createdAt + DAY,
    stateUpdatedAt: createdAt + DAY,
    metadata: {
      graph_id: "loop",
      assistant_id: "0b8f8d9d-0f4e-5c52-9a3f-7f6c3d4c2f10",
      user: `user-${index % 10_000}`,
      plan: index % 2 === 0 ? "pro" : "free",
      source: index < 5000 ? "import" : "app",
      tags: [`tag-${index % 50}`, `tag-${index % 7}`],
      visits: [{ page: index % 20, from: index % 3 }],
    },
    extract: { topic: `topic-${index % 500}` },
    questions:
      status === "interrupted" ? [{ interruptId: `q-${index}`, value: "Refund?", askedAt: createdAt }] : [],
  };
}
