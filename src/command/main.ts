#!/usr/bin/env node
import { parseArgs } from "node:util";
import { TidemarkError } from "../errors.ts";
import { CommandError } from "./command-error.ts";
import { openSaver } from "./langgraph-saver.ts";
import { checkpointsOf, savedThread, threadIds } from "./saved-threads.ts";
import { sendThread } from "./send-thread.ts";

const USAGE = `Moves threads of LangGraph to a Tidemark server.

  tidemark import --to URL (--sqlite FILE | --postgres URL | --from MODULE) [--graph NAME] [--thread ID]…

  --to        where the server is, such as http://localhost:8787
  --sqlite    a file of LangGraph's SqliteSaver
  --postgres  a database of LangGraph's PostgresSaver
  --from      a module whose default export is a saver, or a function that makes one
  --graph     the graph that the threads belong to; needed when the server has several
  --thread    only this thread; may be given several times
`;

const options = {
  to: { type: "string" },
  sqlite: { type: "string" },
  postgres: { type: "string" },
  from: { type: "string" },
  graph: { type: "string" },
  thread: { type: "string", multiple: true },
  help: { type: "boolean" },
} as const;

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help === true || positionals.length === 0) return print(USAGE);
  if (positionals.join(" ") !== "import") {
    throw new CommandError(`There is no command "${positionals.join(" ")}".\n\n${USAGE}`);
  }
  if (values.to === undefined) throw new CommandError("Say where the server is: --to http://localhost:8787");
  const saver = await openSaver(values);
  for (const id of values.thread ?? (await threadIds(saver))) {
    const records = savedThread(saver, await checkpointsOf(saver, id), values.graph);
    print(`${await sendThread(values.to, id, records)}\n`);
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
