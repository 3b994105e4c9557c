import { Command } from "../../pregel/command.ts";
import { Send } from "../../pregel/send.ts";
import type { RequestedCommand } from "./run-request.ts";

export function commandOf({ goto, ...others }: RequestedCommand): Command {
  const sends = goto.map((to) => (typeof to === "string" ? to : new Send(to.node, to.input)));
  return new Command({ ...others, goto: sends });
}
