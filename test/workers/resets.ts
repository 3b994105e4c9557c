/** The tests of threads are run once more with a hard reset after every superstep; most of them only now and then. */
export const OFTEN: readonly string[] = ["pause-and-resume", "safe-resume", "waits"].map(
  (name) => `test/workers/thread/${name}.test.ts`,
);

const ATTEMPTS = "counts attempts, or what the nodes of one have seen";
const SOCKET =
  "listens to the object on a socket of its own, which ends with it: the router's streams connect anew";
const BUCKET =
  "counts the calls to the bucket, or holds one of them: a task that is begun again makes it again";
const STOPS =
  "stops the object by itself, and has its next attempt wait or fail at moments of its own choice";
const ORDER = "expects the order in which calls were made: one that is made again comes later";
const DELETED = "deletes a thread under calls that are made again, and so make it anew when they come later";
const DIRECT = "calls the object by itself, without the router that would ask its next instance";
const LEASE = "goes by the lease, which is short where resets are to be taken up soon";
const DELIVERY = "waits less long than a message that was cut off, which is sent again after five seconds";

/** The one file without a test that could hold: each stops the object by itself, and counts what an attempt has told. */
export const EXCLUDED = "test/workers/thread/events/fast-supersteps.test.ts";

/** Tests that a reset of its own must fail, by file and name, and why: no caller notices anything there. */
export const LEFT_OUT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "hooks/webhooks-of-waits": {
    "is told of what goes on by itself after a sleep, an event and a question that expires": DELIVERY,
  },
  "http/protocol/filtered-listeners": {
    "learns nothing of a thread of others: not that it is there, nor what happens in it, nor that it is deleted":
      SOCKET,
    "hears a thread from its beginning when it becomes one of its own": SOCKET,
  },
  "http/protocol/replay": {
    "are told with the same time while a run of another path goes on, and later": ATTEMPTS,
    "go on across an object that is stopped in the middle of a run": ATTEMPTS,
  },
  "http/protocol/slow-listener": {
    "is sent a part of it, and the rest when it has taken that": SOCKET,
    "gets all of it in the end, and holds up no one": SOCKET,
  },
  "thread/bookkeeping": {
    "is in the row of the run while that goes on, nowhere else, and is erased when it pauses or ends":
      ATTEMPTS,
  },
  "thread/deletion": {
    "ends the run that goes on and those that wait, with an error for their callers": DELETED,
    "is finished without a request also when it had to end a run": DELETED,
  },
  "thread/events/event-log": {
    "are the same for everybody, whenever they come, and after any of them": ATTEMPTS,
    "has what was finished once, and goes on with the next attempt": ATTEMPTS,
    "a log that is cut off when events were written by themselves goes on, and nothing in it is out of order":
      ATTEMPTS,
    "ends with how the run ended, under one id for all: also of a run that was undone, or has not begun":
      DIRECT,
    "holds up nothing, and is told what it has missed": DIRECT,
    "is forgotten when it leaves a run that says nothing": DIRECT,
  },
  "thread/events/log-behind": {
    "has a bound: a next attempt looks at few of many supersteps that said nothing": STOPS,
    "holds up nothing that a node says": ATTEMPTS,
    "is completed though each attempt ends in the turn in which it begins": STOPS,
    "is written when the storage serves again that failed at its time": STOPS,
    "stops no run whose value is gone that only the log needs": STOPS,
  },
  "thread/faults": {
    "does not reach the caller when the next attempt gets through, and the input is applied once": ATTEMPTS,
    "is not tried again by those who only read": ATTEMPTS,
    "ends the run when it stays, and the error says what it was": ATTEMPTS,
  },
  "thread/large-values": {
    "from a node is in the bucket once, whatever else happens in the state": BUCKET,
  },
  "thread/late-writes": {
    "leaves no object behind when it was on its way into the bucket": BUCKET,
    "never gets into the thread that takes its place, nor into the bucket": DELETED,
    "is not stored": ATTEMPTS,
  },
  "thread/nested-views": {
    "says of each attempt of a node how its graph ended": ATTEMPTS,
  },
  "thread/platform-faults": {
    "before any of a run's transactions changes nothing of what comes of it": ATTEMPTS,
    "after any of a run's transactions changes nothing of what comes of it": ATTEMPTS,
    "does not count among the attempts that got nowhere, however often it comes": ATTEMPTS,
    "does not count, and the run goes on in the new code, many times over": ATTEMPTS,
    "that comes twice, or when all is over, does nothing twice (EVI-05)": ATTEMPTS,
  },
  "thread/queue": {
    "keep their order, ten of them as well": ORDER,
  },
  "thread/retention": {
    "is enforced by the object when it has been quiet for a while, and then there is no alarm": LEASE,
    "is tried again after as long as it has been quiet, and once a day at last": LEASE,
  },
  "thread/runs": {
    "is answered at once, and is read, listed and joined while it goes on and afterwards": ATTEMPTS,
    "a caller that waits or joins is answered when the object is stopped underway": ATTEMPTS,
    "ends a run that goes on: its node is told, what it does then is not stored, its siblings' work is (CON-07)":
      ATTEMPTS,
    "ends a run that takes longer: its node is told, and the thread stays at its last checkpoint": ATTEMPTS,
    "cancel ends the run of /runs/stream when its client goes": ATTEMPTS,
    "brings them along when it ends at once, and leaves them to be joined for when it does not": DIRECT,
  },
};
