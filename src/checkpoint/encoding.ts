import { UnserializableError } from "../errors.ts";
import { isPromise } from "./maybe-promise.ts";
import type { SerializerProtocol } from "./serde/protocol.ts";
import type { MaybePromise } from "./types.ts";

/** A value as a serializer wrote it. */
export interface Encoded {
  readonly type: string;
  readonly data: Uint8Array;
}

type Path = readonly (string | number)[];

/** Finds the channel that a path into an encoded value leads through, and the rest of the path. */
export type ChannelLocator = (path: Path) => { channel: string; path: Path } | undefined;

/**
 * Answers at once when the serializer does. What cannot be stored is reported with the name of its channel. `isBare`: see
 * `dumpsTyped`.
 */
export function encode(
  serde: SerializerProtocol,
  value: unknown,
  locate?: ChannelLocator,
  isBare?: boolean,
): MaybePromise<Encoded> {
  try {
    const typed = serde.dumpsTyped(value, isBare);
    if (!isPromise(typed)) return toEncoded(typed);
    return typed.then(toEncoded, (error: unknown) => {
      throw namingChannel(error, locate);
    });
  } catch (error) {
    throw namingChannel(error, locate);
  }
}

export function decode(serde: SerializerProtocol, encoded: Encoded): MaybePromise<unknown> {
  return serde.loadsTyped(encoded.type, encoded.data);
}

function toEncoded([type, data]: [type: string, data: Uint8Array]): Encoded {
  return { type, data };
}

function namingChannel(error: unknown, locate: ChannelLocator | undefined): unknown {
  if (!(error instanceof UnserializableError)) return error;
  const place = locate?.(error.path);
  if (place === undefined) return error;
  return new UnserializableError(error.problem, place.path, {
    channel: place.channel,
    cause: error.cause ?? error,
  });
}
