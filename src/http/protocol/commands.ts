import type { Context } from "hono";
import { TidemarkError } from "../../errors.ts";
import type { AppOptions } from "../app-options.ts";
import { requirePermission } from "../auth/authentication.ts";
import { check } from "../requests/body.ts";
import type { RequestedThread } from "../thread-call.ts";
import type { CommandResult } from "./command-result.ts";
import { errorResponse, notSupported, ProtocolError } from "./protocol-error.ts";
import { fork, respond, startRun } from "./run-commands.ts";
import { CommandBody } from "./schemas.ts";
import { getState, getTree, listCheckpoints } from "./state-commands.ts";

/** Who sends commands, and to which thread. */
export interface Commander {
  readonly context: Context;
  readonly options: AppOptions;
  readonly thread: RequestedThread;
}

type Command = (params: unknown) => CommandResult | Promise<CommandResult>;

/** A way on which commands come that are no requests of their own. */
export interface Transport {
  /** What only it understands, by method. */
  readonly commands: Readonly<Record<string, Command>>;
  /** Refuses a command that its sender may not send now. Otherwise the thread, as far as the sender may know of it. */
  readonly admit: () => Promise<RequestedThread>;
}

type Response = Readonly<Record<string, unknown>>;

/** Answers a command: expected errors are answers too. What is thrown is a fault. */
export async function answer(commander: Commander, sent: unknown, transport?: Transport): Promise<Response> {
  let id: number | null = null;
  try {
    const command = check(CommandBody, sent, "command");
    ({ id } = command);
    const thread = (await transport?.admit()) ?? commander.thread;
    const { result, after } = await execute({ ...commander, thread }, command, transport?.commands ?? {});
    const { threadId } = commander.thread.address;
    const through = after === undefined ? {} : { applied_through_seq: after };
    return { type: "success", id, result, meta: { thread_id: threadId, ...through } };
  } catch (error) {
    if (error instanceof TidemarkError) return errorResponse(id, error);
    commander.options.report(error);
    const message =
      "The server failed. The command may have been applied: read the state before you repeat it.";
    return errorResponse(id, { code: "internal", message, details: {} });
  }
}

async function execute(
  commander: Commander,
  { method, params }: CommandBody,
  more: Transport["commands"],
): Promise<CommandResult> {
  const { context, thread } = commander;
  switch (method) {
    case "run.start":
      requirePermission(context, "threads:create_run");
      return startRun(commander, params);
    case "input.respond":
      requirePermission(context, "threads:create_run");
      return respond(commander, params);
    case "state.fork":
      requirePermission(context, "threads:create_run");
      return fork(commander, params);
    case "state.get":
      return getState(thread, params);
    case "state.listCheckpoints":
      return listCheckpoints(thread, params);
    case "agent.getTree":
      return getTree(thread, params);
    case "input.inject":
      throw notSupported("A run takes no input while it goes on: start another one, which waits for it.");
    default:
      return executeMore(method, params, more);
  }
}

function executeMore(
  method: string,
  params: unknown,
  more: Transport["commands"],
): CommandResult | Promise<CommandResult> {
  const command = Object.hasOwn(more, method) ? more[method] : undefined;
  if (command !== undefined) return command(params);
  if (method.startsWith("subscription."))
    throw notSupported("Subscriptions are made over a WebSocket; over HTTP a stream is one.");
  throw new ProtocolError("unknown_command", `There is no command "${method}".`);
}
