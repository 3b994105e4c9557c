import { TidemarkError } from "../errors.ts";
import type { Report } from "../log.ts";
import type { Reply } from "../thread/protocol.ts";

/** The code of what has kept one of many calls from being made, the others of which go on; undefined when it was made. */
export async function failureCode(
  report: Report,
  call: () => Promise<Reply<unknown>>,
): Promise<string | undefined> {
  try {
    const reply = await call();
    return reply.ok ? undefined : reply.error.code;
  } catch (error) {
    if (error instanceof TidemarkError) return error.code;
    report(error);
    return "internal";
  }
}
