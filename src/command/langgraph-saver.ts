import { isObject } from "../values/containers.ts";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { CheckpointConfig, CheckpointTuple } from "../checkpoint/types.ts";
import { CommandError } from "./command-error.ts";

/** What the command needs of a saver of LangGraph's family. */
export interface SourceSaver {
  list(config: { configurable: { thread_id?: string } }): AsyncIterable<CheckpointTuple>;
  getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined>;
}

/** Where the threads are; one of them is given. */
export interface SaverSource {
  /** A module whose default export is a saver, or a function that makes one. */
  readonly from?: string | undefined;
  /** A file of LangGraph's SqliteSaver. */
  readonly sqlite?: string | undefined;
  /** The address of a database of LangGraph's PostgresSaver. */
  readonly postgres?: string | undefined;
}

/** Opens it with the packages that are installed where the command is run. */
export async function openSaver(source: SaverSource): Promise<SourceSaver> {
  if (source.from !== undefined)
    return saverOf(await load(pathToFileURL(resolve(source.from)).href), source.from);
  if (source.sqlite !== undefined) {
    return connect("@langchain/langgraph-checkpoint-sqlite", "SqliteSaver", source.sqlite);
  }
  if (source.postgres !== undefined) {
    return connect("@langchain/langgraph-checkpoint-postgres", "PostgresSaver", source.postgres);
  }
  throw new CommandError("Say where the threads are: --sqlite FILE, --postgres URL or --from MODULE.");
}

async function saverOf(module: object, path: string): Promise<SourceSaver> {
  const exported: unknown = "default" in module ? module.default : undefined;
  const made: unknown = typeof exported === "function" ? await exported() : exported;
  if (isSaver(made)) return made;
  throw new CommandError(`The default export of ${path} must be a saver, or a function that makes one.`);
}

async function connect(packageName: string, className: string, address: string): Promise<SourceSaver> {
  const found = new Map<string, unknown>(Object.entries(await load(installed(packageName))));
  const Saver = found.get(className);
  const saver: unknown = hasFromConnString(Saver) ? Saver.fromConnString(address) : undefined;
  if (isSaver(saver)) return saver;
  throw new CommandError(`The installed ${packageName} has no ${className}.fromConnString().`);
}

/** Packages are looked up from where the command is run, as the user's own code would find them. */
function installed(packageName: string): string {
  try {
    return pathToFileURL(createRequire(resolve("index.js")).resolve(packageName)).href;
  } catch (cause) {
    throw new CommandError(`Install the package that wrote the threads: npm install ${packageName}`, cause);
  }
}

async function load(url: string): Promise<object> {
  try {
    const module: unknown = await import(url);
    return Object(module);
  } catch (cause) {
    throw new CommandError(`${url} cannot be loaded: ${String(cause)}`, cause);
  }
}

function isSaver(value: unknown): value is SourceSaver {
  return isObject(value) && "list" in value && "getTuple" in value;
}

function hasFromConnString(value: unknown): value is { fromConnString(address: string): unknown } {
  return (
    typeof value === "function" && "fromConnString" in value && typeof value.fromConnString === "function"
  );
}
