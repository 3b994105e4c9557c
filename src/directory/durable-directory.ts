import { MsgpackSerializer } from "../checkpoint/serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { Report } from "../log.ts";
import { Directory } from "./directory.ts";
import type { AskThread } from "./expected-threads.ts";

/** The class of Durable Objects that know what there is across threads. */
export type DirectoryClass = new (ctx: DurableObjectState, env: unknown) => Directory;

export interface DirectoryConfig {
  /** Makes the serializer of an object; a `MsgpackSerializer` by default. */
  readonly serde: ((env: Cloudflare.Env) => SerializerProtocol) | undefined;
  readonly askThread: (env: unknown) => AskThread;
  readonly report: Report;
}

export function createDirectoryClass({ serde, askThread, report }: DirectoryConfig): DirectoryClass {
  return class extends Directory {
    constructor(ctx: DurableObjectState, env: unknown) {
      super(ctx, env, {
        serde: serde?.(env as Cloudflare.Env) ?? new MsgpackSerializer(),
        now: () => Date.now(),
        yieldTurn: () => scheduler.wait(0),
        askThread: (objectId, question) => askThread(env)(objectId, question),
        wait: (time) => scheduler.wait(time),
        report,
      });
    }
  };
}
