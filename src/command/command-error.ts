import { TidemarkError } from "../errors.ts";

/** What the user of the command has to mend: only its message is shown. */
export class CommandError extends TidemarkError {
  constructor(message: string, cause?: unknown) {
    super("command_failed", message, cause === undefined ? {} : { cause });
    this.name = "CommandError";
  }
}
