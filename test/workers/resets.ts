/** The tests of threads are run once more with a hard reset after every superstep; most of them only now and then. */
export const OFTEN: readonly string[] = ["pause-and-resume", "safe-resume", "waits"].map(
  (name) => `test/workers/thread/${name}.test.ts`,
);

/** Files with tests that a reset of its own must fail, and why. */
const UNFIT: Readonly<Record<string, string>> = {
  "hooks/webhooks-of-waits": "waits for messages that a reset cuts off, which come again after five seconds",
  "http/assistants": "expects the directory to hear at once; after a reset it hears by the alarm",
  "http/auth/langgraph-auth": "expects the directory to hear at once; after a reset it hears by the alarm",
  "http/auth/named-in-bodies": "expects the directory to hear at once; after a reset it hears by the alarm",
  "http/protocol/filtered-listeners": "listens on one socket, which ends with its object",
  "http/protocol/replay":
    "stops the object by itself, and compares what two readers have heard of an attempt that was lost",
  "http/protocol/slow-listener": "listens on one socket, which ends with its object",
  "http/protocol/waited-runs": "counts the attempts that a reader hears of",
  "http/threads": "expects the directory to hear at once; after a reset it hears by the alarm",
  "thread/crash": "stops the object by itself, and counts how often nodes ran",
  "thread/deletion": "stops the object at moments of its own choice, while calls to the bucket are held",
  "thread/events/event-log":
    "counts the attempts and events of a log, and reads from the object without the router",
  "thread/events/fast-supersteps": "stops the object by itself, and counts what an attempt has told",
  "thread/faults": "calls the object by itself, without the router, while the bucket fails",
  "thread/large-values": "counts the calls to the bucket; a task that is begun again stores again",
  "thread/late-writes": "holds writes of one instance until another has come",
  "thread/nested-graphs": "stops the object by itself, and counts how often nodes ran",
  "thread/platform-faults": "injects resets of its own, and counts attempts",
  "thread/queue": "expects the order in which calls came; a call that is made again comes later",
  "thread/recovery": "has a run of more supersteps than the router has patience for resets",
  "thread/runs": "looks at attempts, and at what the nodes of the first one have seen",
};

export const EXCLUDED: readonly string[] = Object.keys(UNFIT).map((name) => `test/workers/${name}.test.ts`);
