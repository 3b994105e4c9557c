import { MsgpackSerializer } from "../checkpoint/serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { Directory } from "./directory.ts";

/** The class of Durable Objects that know what there is across threads. */
export type DirectoryClass = new (ctx: DurableObjectState, env: unknown) => Directory;

export function createDirectoryClass(
  serdeOf: ((env: Cloudflare.Env) => SerializerProtocol) | undefined,
): DirectoryClass {
  return class extends Directory {
    constructor(ctx: DurableObjectState, env: unknown) {
      const serde = serdeOf?.(env as Cloudflare.Env) ?? new MsgpackSerializer();
      super(ctx, env, { serde, now: () => Date.now() });
    }
  };
}
