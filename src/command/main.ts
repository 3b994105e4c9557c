#!/usr/bin/env node
import { parseArgs } from "node:util";
import { TidemarkError } from "../errors.ts";
import { newApiKey } from "./api-key.ts";
import { CommandError } from "./command-error.ts";
import { eraseTenant } from "./erase-tenant.ts";
import { openSaver } from "./langgraph-saver.ts";
import { checkpointsOf, savedThread, threadIds } from "./saved-threads.ts";
import { rebuildDirectory, type RebuildOptions } from "./rebuild-directory.ts";
import { sendThread } from "./send-thread.ts";
import { serverAt } from "./server.ts";

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

Removes all that a tenant has; the key says which:

  tidemark erase-tenant --to URL

Has all threads of a server tell the directory what they are; needs a key with the scope admin:rebuild_directory:

  tidemark rebuild-directory --to URL (--state FOLDER [--class NAME] | --account ID --namespace ID)

  --state      where a server on this machine keeps its state
  --class      the class of threads there; Thread unless given
  --account    Cloudflare's id of the account
  --namespace  Cloudflare's id of the namespace of the class of threads
  CLOUDFLARE_API_TOKEN in the environment: may list the objects of the account
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
  state: { type: "string" },
  class: { type: "string" },
  account: { type: "string" },
  namespace: { type: "string" },
  help: { type: "boolean" },
} as const;

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help === true || positionals.length === 0) return print(USAGE);
  const command = positionals.join(" ");
  if (command === "key") return print(newApiKey(values));
  if (command === "erase-tenant") return eraseTenant(serverAt(values.to), printLine);
  if (command === "rebuild-directory")
    return rebuildDirectory(serverAt(values.to), rebuildOptions(values), printLine);
  if (command !== "import") throw new CommandError(`There is no command "${command}".\n\n${USAGE}`);
  await importThreads(values);
}

type Values = ReturnType<typeof parse>["values"];

async function importThreads(values: Values): Promise<void> {
  const server = serverAt(values.to);
  const saver = await openSaver(values);
  for (const id of values.thread ?? (await threadIds(saver))) {
    const records = savedThread(saver, await checkpointsOf(saver, id), values.graph);
    print(`${await sendThread(server, id, records)}\n`);
  }
}

function rebuildOptions({ state, class: className = "Thread", account, namespace }: Values): RebuildOptions {
  if (account === undefined && namespace === undefined) return { state, className };
  const token = process.env["CLOUDFLARE_API_TOKEN"];
  if (account === undefined || namespace === undefined || token === undefined)
    throw new CommandError(
      "An account takes --account ID --namespace ID, and CLOUDFLARE_API_TOKEN in the environment.",
    );
  return { className, account: { account, namespace, token } };
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

function printLine(line: string): void {
  print(`${line}\n`);
}

try {
  await main(process.argv.slice(2));
  process.exit();
} catch (error) {
  if (!(error instanceof TidemarkError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
