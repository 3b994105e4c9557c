import { CommandError } from "./command-error.ts";
import { callServer, type Server } from "./server.ts";

interface Erased {
  readonly erased: boolean;
  readonly threads_left: number;
  readonly failed: readonly { readonly thread_id: string; readonly code: string }[];
}

/** Asks until nothing is left of the tenant that the key belongs to. Broken off, it goes on where it was. */
export async function eraseTenant(server: Server, tell: (line: string) => void): Promise<void> {
  let before = Infinity;
  for (;;) {
    const { erased, threads_left: left, failed } = await callServer<Erased>(server, "DELETE", "tenant");
    if (erased) return tell("Erased: nothing is left.");
    tell(`${left} threads are left.`);
    if (failed.length > 0 && left >= before) {
      const named = failed.map(({ thread_id: id, code }) => `${id} (${code})`).join(", ");
      throw new CommandError(`These threads could not be deleted: ${named}. Run the command again later.`);
    }
    before = left;
  }
}
