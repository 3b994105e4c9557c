/**
 * The tests behind docs/differences.md: for each row, by what it says of LangGraph, the tests that show what it says of
 * this engine, as "file, seen from test/unit: title".
 */
export const pins: Readonly<Record<string, readonly string[]>> = {
  // Answers
  "a plain resume answers every pending question": [
    "public-bugs/parallel-interrupts: PAR-01: one answer for several questions is refused",
  ],
  "answers to ids that are not pending are ignored": [
    "public-bugs/interrupts: INT-03: an answer to an unknown question is refused, with all that came with it",
  ],
  "after an answer, `invoke(null)` can give it to the node's next question too": [
    "public-bugs/interrupts: INT-05: an answer is used for its question only",
  ],
  "answering an older checkpoint again gives the old answer's result": [
    "differences/answers: answering a named older checkpoint anew opens a branch, which keeps what its siblings have done",
    "differences/answers: without a name, a question that was answered is answered",
  ],
  "going on at the newest checkpoint by its name, when that is a fork, asks anew what was answered there": [
    "pregel/refusals: keeps the answers that were given there, also when it is a fork",
  ],
  "new input discards a pending question without a word": [
    "differences/answers: new input does not discard a question, unless the caller says so",
  ],
  "a task that waits for an answer runs again when another question is answered, and on `invoke(null)`": [
    "differences/answers: a task whose question is open is not run again by null input",
    "public-bugs/parallel-interrupts: PAR-03: answering one of two leaves the other as it is",
  ],
  "an update that came with an answer is lost when the node asks on": [
    "differences/answers: an update that came with an answer is kept when the node asks on, also when its question is discarded",
  ],
  "interrupt ids are XXH3 hashes of the namespace": [
    "differences/answers: the id of a question comes from its task's id and its place, in LangGraph's form",
    "oracle/savers: a thread that waits for several answers under LangGraph is answered here by its own ids",
  ],
  "of several questions that a node, its tasks or its graphs ask at once, only the first is shown": [
    "pregel/interrupts: are all open, and can be answered in any order and number",
    "pregel/functional: tasks that ask side by side are all asked at once, and none that has its answer runs again",
    "pregel/subgraphs: graphs that a node runs at once ask at once, and are answered one by one",
  ],
  "a plain answer to a question of a `task()` is given to the entrypoint's next question too": [
    "differences/answers: a plain answer to a task's question is not given to the entrypoint's own question too",
  ],
  "answering anew a question of a graph inside a task gives the old result": [
    "pregel/subgraphs: a question of a graph is answered anew on a branch, where its finished steps stay done",
    "pregel/subgraphs: another waiting graph keeps its question on a branch, and what it has done",
    "pregel/branch-work: are on the branch where they were, declared (%s) or not",
    "pregel/branch-work: a question of such a task is answered anew, and what came after it is done anew",
  ],
  "an edit drops the question of a node that waits, or the whole node when it is made as another one": [
    "pregel/edits: leaves the question open, under its id",
    "pregel/edits: an answer does not count for another question that the node asks after the edit",
    "pregel/edits: as another node: the node that asks is still next, beside what follows",
    "pregel/edits: as the node itself, and as END: that was the decision",
    "pregel/edits: discards the question when the caller says so",
  ],
  "a Command on a paused thread runs what has finished beside the question again, and drops Sends that wait when it sends itself":
    [
      "pregel/edits: with an update: the finished sibling of the node that asks does not run again",
      "pregel/edits: that sends: the Sends that wait stay",
    ],
  "a node waits for a time or an event by asking a question that a program answers": [
    "pregel/waits: are listed apart, and answered apart",
  ],
  "a question stays open for ever": ["pregel/waits: says when, and what counts then"],
  "questions are listed as they come": [
    "differences/answers: the questions of a run are in the order of their tasks",
  ],

  "the `response_schema` of a question that was given a zod schema says what the node gets": [
    "differences/answers: the schema of a question says what an answer has to be",
  ],
  // Graphs inside tasks
  "a run, or a state, with a `checkpoint_ns` that the caller has chosen falls back to the root's": [
    "public-bugs/subgraphs: SUB-05: graphs that share a thread in namespaces of their own are kept apart",
  ],
  "reading an unknown namespace shows an empty state": [
    "pregel/subgraphs: a namespace that no graph has is refused",
  ],
  "a run at a checkpoint inside a task replays the root graph and ignores that checkpoint": [
    "pregel/subgraphs: a graph in a task goes on from an older checkpoint of its own, on a branch",
  ],
  "with `checkpointer: true`, replays go back in the history by time, in the run that replays alone": [
    "differences/nested-graphs: a shared history is gone back in by the branch, and says which task made its checkpoints",
  ],
  "two tasks that share a history (`checkpointer: true`) at the same time mix it up": [
    "pregel/subgraphs: tasks that would share one history at the same time are refused",
  ],
  "a Command for the parent graph in a root graph ends the run as a success; as an input it is an `InvalidUpdateError`":
    ["pregel/subgraphs: a Command for the parent graph of a graph that has none is refused"],
  "a nested checkpoint that is edited leaves the question of the task around it in place": [
    "pregel/subgraphs: an edited older checkpoint of a graph is gone on from",
  ],
  "an answer to a question that such an edit has settled is taken and gets lost": [
    "differences/nested-graphs: an answer to a question that an edit inside the task has settled is refused",
  ],
  "a task that has failed once says no more where its graph's state is": [
    "differences/nested-graphs: a task that has failed says where its graph's state is",
  ],

  "a graph called in a node with another `thread_id` belongs to the node's task all the same: it begins anew each time, and is stored under the other id where nothing reads it":
    ["differences/nested-graphs: a graph called with another thread id is a run of that thread"],
  "a graph with `checkpointer: false` inside a task can ask; no answer reaches it, and it asks again": [
    "differences/nested-graphs: a graph without a history of its own cannot ask",
  ],
  // Entrypoints and tasks
  "a failing task ends the run, also when the entrypoint catches the error": [
    "pregel/functional: an entrypoint may catch the failure of a task",
  ],
  "after a failing task the entrypoint shows an abort": [
    "differences/nested-graphs: after a failing task the entrypoint shows the task's error",
  ],
  "results of tasks may be changed": [
    "pregel/functional: what a task returns is read-only, as it is when it is read from storage",
  ],

  // Streams
  "chat models stream wherever a node calls them": [
    "differences/streams: a chat model that is called %s the node's config",
  ],
  "`messages` knows LangChain's classes only": [
    "pregel/messages: text that goes through the writer is streamed as pieces of a message, and returned whole",
  ],
  "configs in `checkpoints` and `debug` chunks show what the engine keeps in them": [
    "differences/streams: a config in a chunk says where the checkpoint is, and nothing else",
  ],
  "`checkpoints` lacks the checkpoint at which a run stops after a node (`interruptAfter`)": [
    "differences/streams: the stream of checkpoints shows the one at which a run stops after a node",
  ],
  "an error in `tasks` has a name and a message": [
    "differences/streams: an error in a chunk of tasks has the form in which it is stored",
  ],

  'metadata of tasks says `ls_integration: "langgraph"`': [
    "differences/streams: metadata of tasks does not name LangGraph",
  ],
  '`checkpoints` chunks of a run with durability "exit" do not say their parent': [
    "differences/streams: chunks of checkpoints say their parent, whatever the durability",
  ],
  // Supersteps
  "a failing task aborts its siblings; only the first error is reported unless they come in one tick": [
    "differences/supersteps: a sibling that is still running ends and is stored",
    "differences/supersteps: several failures are one AggregateError, whenever they come",
  ],
  "a node that an edge and a complete join start at once stays `next` for ever; only its first trigger is consumed":
    [
      "differences/supersteps: a node that an edge and a complete join start at once runs once, and nothing is left",
    ],
  "an update at the newest checkpoint by its name leaves out what finished tasks have stored": [
    "pregel/refusals: at the head by its name keeps what finished beside a question",
  ],
  "a refused update or a reducer that throws leaves the thread unreadable": [
    "differences/supersteps: one that throws: the superstep is not applied, and the state can be patched and resumed",
    "public-bugs/channels: CHA-04: two writers of a last-value channel: nothing of the superstep is applied, the thread stays readable",
    "pregel/refusals: leaves the thread at its last checkpoint, says why, and can be mended",
  ],
  "a reducer's `undefined` empties the channel: the next write is stored as it is": [
    "public-bugs/channels: CHA-02: a reducer that returns undefined",
  ],
  "a goto or route to an unknown node ends the run as a success": [
    "differences/supersteps: a goto to an unknown node fails and names it",
    "differences/supersteps: a conditional edge to %j fails and names it",
    "differences/supersteps: a saved node that the graph no longer has is a typed error; the thread stays readable",
  ],
  "a deferred node runs beside Sends that are still to be done": ["differences/supersteps: wait for Sends"],
  "a Command that goes to a deferred node of a thread at rest does nothing": [
    "differences/supersteps: run when a Command goes to them",
  ],
  "a Send to `END` by a caller's Command is ignored; by a node it is an `InvalidUpdateError`": [
    "pregel/wrong-options: a Command with a Send to END is refused, as an END by name is not",
    "pregel/wrong-options: a node's Send to END is an error that names it",
  ],
  "a Send without arguments is dropped": ["differences/supersteps: a Send without arguments is run"],
  "untracked keys in the arguments of a Send are left out of the writes, and are in the checkpoint": [
    "differences/supersteps: a node gets all that a Send brings, also after a restart",
  ],
  "two runs at once on a thread lose one of the inputs": [
    "public-bugs/runs: CON-01: of two runs at once on one thread one is refused, and no input is lost",
  ],
  "what a task does after its run was cancelled, or had failed, may be stored": [
    "pregel/cancel: a run that is cancelled ends at once, and what its tasks do later is not stored",
  ],
  "the last chunks of a stream that ends with an error may be missing": [
    "differences/supersteps: all chunks of a stream come before its error",
  ],

  "after a conditional edge has thrown, what its node returned counts, its node is not run again, and the run has nothing left to do; with an error handler the writes of both count":
    ["differences/supersteps: a conditional edge that throws fails its node"],
  "an error that a node throws is given a property `pregelTaskId`": [
    "differences/supersteps: an error stays as it was thrown",
  ],
  // Policies of nodes
  "a pause between attempts cannot be cut short": [
    "pregel/retry: a run that is cancelled during a pause ends, and its node is called no more",
  ],
  "a retry is reported on the console unless `logWarning` is false": [
    "differences/policies: a retry writes nothing to the console",
  ],
  "changes of frozen state are tried again": [
    "pregel/retry: a change of frozen state, which cannot go better the next time, is not tried again",
  ],
  "`getState` shows neither the task nor the question of an error handler; the thread looks finished while the handler waits or has failed":
    [
      "pregel/error-handler: a handler's question is shown, and answered after an eviction; the failed node does not run again",
    ],
  "a node's signal is aborted with an `AbortError` at its timeout": [
    "pregel/timeout: what an attempt does after its time is ignored; its signal tells it",
  ],
  "another attempt of a node begins the graphs that it calls anew, in namespaces with a count": [
    "differences/policies: another attempt of a node, %s",
  ],
  "after a restart an error handler gets the error as name and message": [
    "differences/policies: after a restart an error handler gets the error with its code and cause",
  ],

  // Runs
  'durability "async" lets the next superstep begin before a checkpoint is stored': [
    "differences/policies: with durability async no superstep begins before the checkpoint it stands on is stored",
  ],
  'a run with durability "exit" whose last superstep a reducer refused stores a broken state': [
    "pregel/durability: a superstep that a reducer refuses leaves the state before it, to be mended",
  ],
  "`stepTimeout` ends the run with a `TimeoutError` of the node": [
    "pregel/run-options: ends a superstep that takes too long; finished tasks are kept, late ones are not",
  ],
  "a question without a saver is a `GraphValueError`; a saver without a thread id an `Error` of the first superstep":
    ["public-bugs/interrupts: INT-13: a question without persistence"],
  "an unknown `durability` or `streamMode`, a retry policy without an attempt, a cache's `ttl` or a history's `limit` below 0 are taken; a `stepTimeout` of 0 or below is taken, or fails the run":
    [
      "pregel/wrong-options: for %s",
      "pregel/wrong-options: for a stepTimeout of %d",
      "pregel/wrong-options: a history with a limit of %d is refused",
      "pregel/wrong-options: %s %j",
    ],
  "what a run may use is not known to it: `recursionLimit` ends it with an error": [
    "pregel/limits: count what nodes report, and say which of two was reached first",
    "pregel/limits: reject invoke with what was reached, from where null goes on",
  ],
  "`maxConcurrency: 1` runs the first task of a superstep and ends the run as a success": [
    "differences/policies: one task at a time is all tasks, one after the other",
  ],
  "`maxConcurrency: 0` is taken": ["pregel/run-options: refuses less than one"],
  "`maxConcurrency` lets called `task()`s begin at once, and counts them only before the next node begins": [
    "pregel/run-options: %d of the tasks that an entrypoint calls at a time",
    "pregel/run-options: counts what nodes call beside the nodes, also what an error handler calls",
  ],

  'a graph inside a task that has finished is not stored by a run with durability "exit"': [
    "differences/policies: a graph inside a task is stored at the end of a run too",
  ],
  // Store and cache
  "a node's store collects what is asked in a macrotask and polls with timers; its `put` loses the argument `index`":
    [
      "pregel/task-functions: a node, and what it calls, reaches the store, the writer and its input",
      "checkpoint/store: hands what is asked in one turn on as one batch",
    ],
  "values in `InMemoryStore` are the objects that were put": [
    "checkpoint/store: what a store gives back is read-only, and not what was put in",
  ],
  "a filter compares objects by identity; unknown operators match nothing": [
    "checkpoint/store: filters compare plain values by content",
    "checkpoint/store: an operator that does not exist is refused",
  ],
  "`getTextAtPath` finds texts only, and the characters of a text at `a[0]`": [
    "checkpoint/store: texts at a path",
  ],
  "results are cached under the names of function and node, by a 128-bit hash of `JSON.stringify` of the input":
    [
      "pregel/node-cache: a node is not called for an input that it had before",
      "pregel/node-cache: texts of values differ when the values do",
    ],
  "a result that came of an answer is cached": [
    "pregel/node-cache: what came of an answer is not kept: the next one is asked again",
  ],
  "a cache that fails fails the run": [
    "pregel/node-cache: failures are not kept; neither does a cache that fails stop the run",
  ],

  "a cached `task()` is called twice in a run before its result counts; two calls at once that have one in the cache fail the run":
    ["differences/policies: a cached task is called once in a run too"],
  // State
  "changes in place, by nodes or reducers, leak into saved state": [
    "public-bugs/channels: CHA-10: what a node changes in place",
    "pregel/frozen-state: a reducer that changes its left side is told the channel, and the superstep is not applied",
    "pregel/frozen-state: what cannot be frozen",
  ],
  "results of `invoke` and `getState` may be changed": ["differences/state: results are read-only"],
  "BigInt, Date, typed arrays and cycles are lost or destroy the checkpoint": [
    "differences/state: what LangGraph loses survives",
  ],
  "class instances become plain objects": [
    "differences/state: an instance of a class without a codec is refused at the write, by channel and path",
  ],
  "an error is kept as name and message": [
    "differences/supersteps: an error is kept with its name, code and causes",
  ],
  "`__proto__` as a key becomes a prototype; data that looks like a serde tag changes its type": [
    "public-bugs/values: SER-13: a key called __proto__ is data",
  ],
  "a dynamic barrier that waits for nobody is open after a reload": [
    "channels/dynamic-barrier-value: a barrier that waits for nobody stays closed after a reload",
  ],
  "a `DeltaChannel` is saved as its writes, with a snapshot now and then": [
    "oracle/delta-channel: values, states and histories: as in LangGraph",
    "oracle/delta-channel: a thread that LangGraph has begun goes on here",
  ],
  "a saved `undefined` is an empty channel, and an `Overwrite` with it empties one": [
    "channels/langgraph: a saved undefined is a value, not an empty channel",
    "channels/langgraph: an Overwrite may set undefined",
  ],
  "an `Overwrite` of a key that has no value yet does not count: others are reduced onto it, and two of them are taken":
    ["channels/langgraph: an Overwrite counts on an empty channel too: alone, and once"],
  "the reducer runs for writes that an `Overwrite` discards": [
    "channels/langgraph: the reducer does not run for writes that an Overwrite discards",
  ],
  "a channel that refuses one of several writes has taken those before it": [
    "channels/langgraph: what fails changes nothing",
  ],
  "a `Topic` that is not unique reads two saved lists as those of a unique one": [
    "channels/langgraph: a topic of two lists is read as it was saved",
  ],
  "a join that was saved with names which the graph no longer waits for stays closed": [
    "channels/langgraph: a barrier is not held up by saved names that it no longer waits for",
  ],
  "there are no managed values": [
    "pregel/managed-values: a graph that ends at IsLastStep stays within its limit",
  ],
  "a default is saved with the first checkpoint": [
    "differences/state: a default is not saved until something is written",
  ],
  "an update chunk shows `Overwrite` as its class": [
    "differences/state: an update chunk shows an Overwrite as it is stored",
  ],

  // Input
  "an input whose keys are all unknown runs as if it were empty; so does an edit or the update of a Command":
    [
      "differences/input: without a single key of the state is refused, and an empty one is not",
      "pregel/edits: an edit and a Command without any key of the state are refused",
    ],
  "a value that does not fit its schema is the library's own error (`ZodError`), or an `Error` with JSON in its text":
    [
      "graph/schemas: refuses an input that does not fit, and stores nothing",
      "graph/schemas: refuses an update that does not fit, by node and key, and applies nothing",
    ],
  "a default of zod 3 is not applied; one of zod 4 is applied at each input, and resets what the thread has":
    ["differences/input: a default of zod 3", "differences/input: a default of zod 4 at a later input"],
  "an object schema as state has to be of zod": ["graph/schemas: state from %s"],
  "a context is checked, and used as it was given; none at all is not checked": [
    "differences/input: a context that the schema changes",
  ],
  "of a state that is one value (`__root__`) a Command's update has to name it: other objects are lost, and a caller's text is refused":
    ["differences/input: an object as the update of a state that is one value"],
  "with an output definition, a run that writes none of its keys returns `undefined`": [
    "differences/input: an output that nothing was written to",
  ],

  // Writing a graph
  "`__root__` beside other keys of a state takes what nodes return as a whole, if it is the first": [
    "graph/validation: a state that is one value has no other keys",
  ],
  "a plain object as a node is a map of runnables": [
    "graph/validation: a node may be anything with invoke(input, config)",
  ],
  "all conditional edges of a node have the same name, so that there can be only one": [
    "graph/nodes: several conditional edges of a node are told apart by the names of their functions",
  ],
  "an error says in LangGraph's words what is wrong, some with a link to its help": [
    "graph/nodes: refuses %s",
  ],
  "errors of a builder are plain `Error`s": ["graph/nodes: every refusal is a GraphValidationError"],
  "messages are instances of LangChain's classes": [
    "messages/reducer: has the name addMessages too, and RemoveMessage makes plain data",
    "messages/langchain: makes instances of what comes in another form, also of what was stored as plain data",
  ],
  "instances that have no id get it in place": [
    "messages/langchain: merges instances by id and leaves those that it was given alone",
  ],
  "a merge of messages looks at all of them": [
    "messages/reducer: when messages are appended, one after another",
  ],
  "a conditional edge and the saved state may have different minted ids of one message": [
    "differences/messages: a conditional edge sees the id that a message is saved with",
  ],
  "a message of a wrong form is an `Error` with the code `MESSAGE_COERCION_FAILURE`": [
    "messages/graph: refuses what is no message where it is written",
  ],
  "`MessagesZodState` is an object of zod 3": [
    "messages/graph: MessagesZodState takes keys of zod beside its own",
  ],

  // History and views
  "savers cannot prune, copy, or delete what a run has written": [
    "pregel/pruned: a checkpoint whose parent is gone has the nearest ancestor that is left as its parent",
  ],
  "ids are ordered by the clock": ["public-bugs/time-travel: TIM-13: history is in the order of writing"],
  "the order of `next` and `tasks` depends on the view": [
    "differences/history: tasks, and what is next, are in the same order in every view",
  ],
  "a task at its second question is not `next`, and an `updateState` takes it for finished": [
    "differences/history: a task at its second question is next, and not finished for an edit",
  ],
  "`tasks` lists answered questions and errors of earlier attempts": [
    "differences/answers: a task at its second question is still next, and answered questions are not listed",
    "differences/supersteps: an error of an earlier attempt is gone when the task has finished",
    "differences/supersteps: a task shows what its last attempt came to: its question, or its error",
  ],
  "a Command and an `updateState` are also kept as writes of the checkpoint that they change: its history shows them applied, and branches from it repeat them":
    ["differences/history: a Command leaves the checkpoint before it as it was saved"],
  "a Command at an older checkpoint makes two checkpoints (`fork`, `input`)": [
    "differences/history: at an older checkpoint, a Command makes one checkpoint; the older one stays as it was",
  ],
  "`versions_seen.__interrupt__` is written at every resume": [
    "pregel/breakpoints: runs without breakpoints keep nothing of them",
  ],
  "an update as an unknown node is an `InvalidUpdateError`; a bad `recursionLimit` is an `Error`; an unknown `checkpoint_id` reads as an empty thread":
    [
      "differences/history: an update as an unknown node is refused and changes nothing",
      "differences/history: a recursion limit of %d is refused",
      "differences/history: a checkpoint that does not exist is a typed error",
    ],

  "checkpoints keep neither the caller's `metadata` nor the id of the run": [
    "public-bugs/time-travel: TIM-11: a history is filtered, also by the metadata of its runs, then cut at `before`, then limited",
    "pregel/history: checkpoints keep what is plain of the caller's metadata",
  ],
  // Drawings, schemas, graphs made by hand
  "`drawMermaidPng`": ["oracle/drawing: but not as a picture, which a web service would draw"],
  "a drawing as JSON has class names of LangChain (`data.id`), and an empty schema as `data` of its start and end":
    ["oracle/drawing: a drawing as JSON has names, and no classes"],
  "with `xray`, edges of a graph that is alone in another are left out": [
    "oracle/drawing: but for edges in a graph that is alone in another: LangGraph leaves them out",
  ],
  "with `xray`, sequences of LangChain runnables are drawn step by step": [
    "oracle/drawing: but for sequences of LangChain's runnables: they are one node",
  ],
  "JSON Schemas of zod 3 come from a converter that is part of LangChain": [
    "oracle/json-schema: leaves its keys open",
    "oracle/json-schema: is spoken for by a converter",
  ],
  "objects inside a state's JSON Schema are closed": [
    "oracle/json-schema: leave objects inside open, as zod does",
  ],
  "a `description` in `jsonSchemaExtra` is lost when the schema has none": [
    "oracle/json-schema: have the description of the extra where the schema has none",
  ],
  "importing `/zod` gives zod's schemas a method `.langgraph`": [
    "graph/zod-prototypes: schemas of zod stay as zod has made them",
  ],
  "conditional edges of a `Graph` are accepted, and never followed": [
    "oracle/graph: has no conditional edges: LangGraph takes them, and does not follow them",
  ],
  "`Pregel` takes any `channels`, and adds one to the object that it is given": [
    "oracle/low-level: leaves the object of channels that it is given as it is",
  ],
  "`MessageGraph`, `NodeInterrupt`, the stream of events of version 3, `RemoteGraph`": [
    "exports: what LangGraph exports is exported, but for what is left out on purpose",
  ],
  "`run.start` with an input while an answer's run goes on is an input of its own": [
    "../workers/http/protocol/commands: leads an answer that comes again while its run goes on to that run, and refuses another",
  ],
};
