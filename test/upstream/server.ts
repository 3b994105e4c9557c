/**
 * What the tests of LangGraph's reference server came to. They are run by hand: their files as they are, but for the address,
 * against a Worker of the graphs that come with them, and once more against that server itself.
 */
export const SERVER = `## The tests of LangGraph's reference server

\`libs/langgraph-api/tests/api.test.mts\` of LangGraph.js (commit f8bdf16d4) has 67 tests, of which it skips one. They were run
over HTTP with the released client, unchanged but for the address, against the bundle of a Worker with the graphs that come
with them, built on Tidemark in place of LangGraph, with \`compatibility: { errors: "text", endEvent: false, unknownInput:
"ignore" }\`; and against \`@langchain/langgraph-api\` 1.5.1 itself.

**55 of 66 pass.** The server itself passes 62 on the same machine: the other four ran out of time, or want its own port.

| test | why it fails here |
|---|---|
| schemas; get subgraphs; runtime API schema | schemas are read from the types in the graph's source; here a graph has those that it was defined with |
| config from env; runtime API default from env | a variable of the environment configures the graphs; here an assistant does |
| human in the loop, no modification | wants the ids of events to be "0", "1", …, and no \`thread_id\` in the first; ours say the attempt too |
| batch update state | the events of \`updates\` show the ids that the reducer gives messages; here a node's update stays as it was returned |
| dynamic graph | a graph that is made for each configuration is not offered |
| generative ui | not offered |
| custom routes; custom routes, langgraph | a webhook to a path of the same server; a client inside the server without an address |

Of \`auth.test.mts\`, with its \`Auth\` given to \`langgraphAuth()\`, **43 of 46 pass**. Two want the events of a run that belongs to
somebody else to be a stream with an error in it, which is a 404 here; one wants 409 for a copy of such a thread, which is a 404 too.

| file | passes | why the others fail |
|---|---|---|
| \`protocol-transport.test.mts\` | 1 of 1 | |
| \`protocol-v2/stream-sdk.test.mts\` | 5 of 6 | \`transformers\` of a graph are not offered |
| \`embed.test.mts\` | 20 of 21 | the ids of events, as above |

The last two begin a server in their process, in whose place they got the address; checkpoints that one of them reads from that
server's saver were read as the history of the thread. The files beside them test classes of the server, not what it answers.

Of \`libs/sdk-react/src/tests\`, pages with React hooks, the 70 tests were run, in Chromium, of the files that get by without
LangChain's agents, with the clients as they are released and a second try, as there: **62 pass**. The other eight want the agents
of \`langchain\` or \`deepagents\` after all. (Whether a message is shown as "failed" or as "sent" when its run fails goes by
whether the page draws between two events: on a busy machine one of the 62 may fail.)

LangGraph's client for Python (0.4.3, from its sources, with stand-ins for some of its packages) was led by hand through most methods
of assistants, threads, runs, crons and the store, through runs without a thread, and through \`threads.stream\` over server-sent
events, with an answer to a question. What was called works. Its \`output\` waits until a run that asks is answered
and done, and takes the end of a graph inside a node for the run's: then it has the state of that moment, or that graph's error.
Over a WebSocket it was not tried.

## Where a server answers otherwise than the reference server

The same 490 calls, right and wrong ones, were made on this server and on \`@langchain/langgraph-api\` 1.5.1, with the same graphs
on either engine, and statuses, headers, bodies and events compared. Beside the [engine's differences](differences.md), keys that
only one of the two adds, and the texts of errors, these remain.

| there | here |
|---|---|
| a run on a thread where another goes on is refused unless \`multitask_strategy\` is given (422) | it waits for the other; with \`"reject"\` it is refused (409) |
| a run with \`"interrupt"\` or \`"rollback"\` also ends those that wait for their time (\`after_seconds\`) | before their time it does not touch them |
| a run on a thread that is not there is refused unless \`if_not_exists\` is \`"create"\`, as one that is busy | the first input makes the thread, unless it is \`"reject"\` (404) |
| a thread may run any graph after any other | it is bound to its first graph (\`graph_mismatch\`) |
| \`null\` for what may be left out is refused; unknown keys are ignored | \`null\` is the same as absent; unknown keys are refused |
| ids have to be UUIDs | threads and assistants have any name |
| \`/wait\` answers the questions alone when the run stops at some | the state, and the questions |
| a join of an unknown run, or of its events, is a 200 with an error in it | 404 |
| a join of a run's events without \`Last-Event-ID\` brings what nobody has read yet, of all modes | all that is kept, of the modes that are named |
| the last event is the last of the run's | \`end\` follows, unless \`compatibility\` says otherwise |
| of a run without a thread \`Content-Location\` is \`/runs/:run_id\`; its graph cannot ask | \`/threads/:run_id/runs/:run_id\`; it can |
| a thread whose run was cancelled on its way is \`idle\`, and so is one that was edited, or made of supersteps | \`interrupted\`, when nodes are left to run |
| a run that goes on can be deleted | 409: it is to be cancelled first |
| a rolled back run is there as failed, and what it wrote | neither is |
| the metadata of a state and of tasks say the graph, the assistant, the version of the server and the request's headers | \`source\`, \`step\`, \`parents\`, \`thread_id\`, \`run_id\`, and what the run's metadata says |
| \`checkpoint\` has \`checkpoint_map\` | it does not: \`checkpoint_ns\` says where a graph inside a node is |
| a copy has the new id in its metadata, and no runs | metadata as the original, and its runs |
| \`X-Pagination-Total\` counts \`offset\` beside all that there is | how many there are; \`X-Pagination-Next\` the next offset |
| threads are found by any of their values, and those without values always | by the paths that \`directory.extract\` names |
| an assistant of an unknown graph is made, and fails when it runs | 404 |
| an assistant that goes back to a version of another graph stays with its graph | has the graph of that version |
| a run of a thread that has run nothing, and brings nothing, fails | it is refused (409 \`thread_empty\`) |
| a thread can be copied while a run goes on | 409: the run is to end first |
| a search by an empty list of \`ids\` finds all threads | none |
| labels of a namespace that are not allowed are a 422 | 400 |
`;
