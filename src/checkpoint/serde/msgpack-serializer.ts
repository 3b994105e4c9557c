import { UndecodableError } from "../../errors.ts";
import { deltaSnapshotCodec } from "../delta-snapshot.ts";
import { copyBytes, isBytes } from "./bytes.ts";
import { CodecRegistry } from "./codec.ts";
import type { Codec } from "./codec.ts";
import { KeyCache } from "./key-cache.ts";
import type { SerializerProtocol } from "./protocol.ts";
import { registeredCodecs } from "./registered-codecs.ts";
import { readValue } from "./value-reader.ts";
import { writeValue } from "./value-writer.ts";

export interface MsgpackSerializerOptions {
  /** Known to this serializer alone, and before those of `registerCodec`, which all serializers know. */
  readonly codecs?: readonly Codec[];
}

/**
 * Gives back what was given, or refuses it with the path to the part that cannot be stored: JSON-like data, undefined,
 * NaN, -0, BigInt, Date, Map, Set, RegExp, URL, bytes in every form, errors, and whatever the codecs add, with cycles and
 * shared parts. Plain objects and errors keep their own enumerable properties under string keys (getters are read), an
 * object without a prototype comes back as a plain one, holes in arrays come back as undefined. The input is never changed.
 */
export class MsgpackSerializer implements SerializerProtocol {
  readonly #codecs: CodecRegistry;
  readonly #keys = new KeyCache();

  constructor(options: MsgpackSerializerOptions = {}) {
    this.#codecs = new CodecRegistry([...(options.codecs ?? []), deltaSnapshotCodec], registeredCodecs);
  }

  dumpsTyped(value: unknown, isBare = false): [type: string, data: Uint8Array] {
    if (value === null) return ["null", new Uint8Array(0)];
    if (isBytes(value)) return ["bytes", copyBytes(value)];
    return ["msgpack", writeValue(value, this.#codecs, { isBare })];
  }

  loadsTyped(type: string, data: Uint8Array | string): unknown {
    switch (type) {
      case "null":
        if (data.length > 0) throw new UndecodableError(`${data.length} bytes follow after a null`);
        return null;
      case "bytes":
        return copyBytes(bytesOf(type, data));
      case "json-text":
        return parseJson(data);
      case "msgpack":
        return readValue(bytesOf(type, data), this.#codecs, this.#keys);
      default:
        throw new UndecodableError(`the type "${type}" is unknown to this serializer`, { details: { type } });
    }
  }
}

/** What a saver keeps as text, so that its database can look into it. */
function parseJson(data: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data));
  } catch (cause) {
    throw new UndecodableError("its JSON is not valid", { cause });
  }
}

function bytesOf(type: string, data: Uint8Array | string): Uint8Array {
  if (data instanceof Uint8Array) return data;
  throw new UndecodableError(`data of the type "${type}" must be a Uint8Array`, { details: { type } });
}
