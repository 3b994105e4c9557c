import { CommandError } from "./command-error.ts";
import { type Account, idsIn, idsOfAccount } from "./object-ids.ts";
import { callServer, type Server } from "./server.ts";

/** Objects that the server is asked for at once. */
const AT_ONCE = 100;

export interface RebuildOptions {
  /** The folder where a server on this machine keeps its state. */
  readonly state?: string | undefined;
  /** The class of threads, as wrangler.toml names it. */
  readonly className: string;
  readonly account?: Account | undefined;
}

interface Rebuilt {
  readonly announced: number;
  readonly failed: readonly { readonly object: string; readonly code: string }[];
}

/** Has every thread tell the directory what it is. */
export async function rebuildDirectory(
  server: Server,
  options: RebuildOptions,
  tell: (line: string) => void,
): Promise<void> {
  let [known, failures] = [0, 0];
  for await (const ids of pagesOf(options)) {
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const objects = ids.slice(start, start + AT_ONCE);
      const { announced, failed } = await callServer<Rebuilt>(server, "POST", "directory/rebuild", {
        objects,
      });
      known += announced;
      failures += failed.length;
      for (const { object, code } of failed) tell(`The object ${object} could not tell: ${code}`);
      tell(`${known} threads are known.`);
    }
  }
  if (failures > 0) throw new CommandError(`${failures} objects could not tell. Run the command again.`);
}

async function* pagesOf({ state, className, account }: RebuildOptions): AsyncGenerator<readonly string[]> {
  if (account !== undefined) return yield* idsOfAccount(account);
  if (state === undefined) {
    throw new CommandError("Say where the objects are: --state FOLDER, or --account ID --namespace ID");
  }
  yield idsIn(state, className);
}
