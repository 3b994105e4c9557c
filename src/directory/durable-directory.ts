import { MsgpackSerializer } from "../checkpoint/serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { Directory } from "./directory.ts";
import { DirectoryObject } from "./directory-object.ts";

/** The class of Durable Objects that know what there is across threads. */
export type DirectoryClass = new (ctx: DurableObjectState, env: unknown) => DirectoryObject;

export function createDirectoryClass(
  serdeOf: ((env: Cloudflare.Env) => SerializerProtocol) | undefined,
): DirectoryClass {
  return class extends DirectoryObject {
    constructor(ctx: DurableObjectState, env: unknown) {
      const serde = serdeOf?.(env as Cloudflare.Env) ?? new MsgpackSerializer();
      super(ctx, env, new Directory({ storage: ctx.storage, serde, now: () => Date.now() }));
    }
  };
}
