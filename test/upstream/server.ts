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
`;
