#!/usr/bin/env node
import { parseArgs } from "node:util";
import { TidemarkError } from "../errors.ts";
import { newApiKey } from "./api-key.ts";
import { CommandError } from "./command-error.ts";
import { openSaver } from "./langgraph-saver.ts";
import { checkpointsOf, savedThread, threadIds } from "./saved-threads.ts";
import { sendThread } from "./send-thread.ts";

const USAGE = `Moves threads of LangGraph to a Tidemark server:

  tidemark import --to URL (--sqlite FILE | --postgres URL | --from MODULE) [--graph NAME] [--thread ID]…

  --to        where the server is, such as http://localhost:8787
  --sqlite    a file of LangGraph's SqliteSaver
  --postgres  a database of LangGraph's PostgresSaver
  --from      a module whose default export is a saver, or a function that makes one
  --graph     the graph that the threads belong to; needed when the server has several
  --thread    only this thread; may be given several times
  TIDEMARK_API_KEY in the environment: the key for a server that wants one

Makes an API key for a server:

  tidemark key --name NAME [--tenant TENANT] [--scope SCOPE]… [--expires TIME]

  --name      who gets the key
  --tenant    whose threads it opens
  --scope     what it is good for, such as threads:read; everything unless given
  --expires   such as 2027-01-31; never unless given
`;

const options = {
  to: { type: "string" },
  sqlite: { type: "string" },
  postgres: { type: "string" },
  from: { type: "string" },
  graph: { type: "string" },
  thread: { type: "string", multiple: true },
  name: { type: "string" },
  tenant: { type: "string" },
  scope: { type: "string", multiple: true },
  expires: { type: "string" },
  help: { type: "boolean" },
} as const;

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help === true || positionals.length === 0) return print(USAGE);
  const command = positionals.join(" ");
  if (command === "key") return print(newApiKey(values));
  if (command !== "import") throw new CommandError(`There is no command "${command}".\n\n${USAGE}`);
  await importThreads(values);
}

type Values = ReturnType<typeof parse>["values"];

async function importThreads(values: Values): Promise<void> {
  if (values.to === undefined) throw new CommandError("Say where the server is: --to http://localhost:8787");
  const saver = await openSaver(values);
  for (const id of values.thread ?? (await threadIds(saver))) {
    const records = savedThread(saver, await checkpointsOf(saver, id), values.graph);
    const server = { url: values.to, apiKey: process.env["TIDEMARK_API_KEY"] };
    print(`${await sendThread(server, id, records)}\n`);
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    throw new CommandError(`${cause instanceof Error ? cause.message : String(cause)}\n\n${USAGE}`, cause);
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

try {
  await main(process.argv.slice(2));
  process.exit();
} catch (error) {
  if (!(error instanceof TidemarkError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
