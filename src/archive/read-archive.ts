import { MsgpackSerializer } from "../checkpoint/serde/msgpack-serializer.ts";
import { ArchiveTooNewError, InvalidArchiveError } from "./errors.ts";
import {
  DIGEST_SIZE,
  FIRST_DIGEST,
  FORMAT_VERSION,
  LENGTH_SIZE,
  LINE_BREAK,
  MAX_RECORD,
  nextDigest,
  PREFIX_SIZE,
  SIGNATURE,
} from "./frame.ts";
import { parseRecord, type ArchiveRecord, type ContentRecord } from "./records.ts";

/**
 * The records of an archive, each checked before it is given out. Ends only after the record that ends a whole archive, with
 * the digest of all of them; what is cut off, damaged or followed by something else is an `InvalidArchiveError`.
 */
export async function* readArchive(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ContentRecord, Uint8Array, undefined> {
  const bytes = new ByteReader(chunks);
  await readPrefix(bytes);
  const frames = new FrameReader(bytes);
  for (let count = 0; ; count++) {
    const record = await frames.next();
    if (record.kind !== "end") {
      yield record;
      continue;
    }
    if (record.records !== count) throw new InvalidArchiveError("records are missing");
    if (!(await bytes.isAtEnd())) throw new InvalidArchiveError("bytes follow after its end");
    return frames.digest;
  }
}

async function readPrefix(bytes: ByteReader): Promise<void> {
  const prefix = await bytes.take(PREFIX_SIZE);
  const isArchive = SIGNATURE.every((byte, index) => prefix[index] === byte) && prefix.at(-1) === LINE_BREAK;
  if (!isArchive) {
    throw new InvalidArchiveError("it does not begin like an archive of a thread");
  }
  const version = prefix[SIGNATURE.length] ?? 0;
  if (version > FORMAT_VERSION) throw new ArchiveTooNewError("format", version, FORMAT_VERSION);
}

class FrameReader {
  readonly #bytes: ByteReader;
  readonly #serde = new MsgpackSerializer();
  #digest: Uint8Array = FIRST_DIGEST;

  constructor(bytes: ByteReader) {
    this.#bytes = bytes;
  }

  /** Of all that was read. */
  get digest(): Uint8Array {
    return this.#digest;
  }

  async next(): Promise<ArchiveRecord> {
    const length = new DataView((await this.#bytes.take(LENGTH_SIZE)).buffer).getUint32(0);
    if (length > MAX_RECORD) throw new InvalidArchiveError("a record is too long");
    const expected = await this.#bytes.take(DIGEST_SIZE);
    const data = await this.#bytes.take(length);
    this.#digest = await nextDigest(this.#digest, data);
    if (!this.#digest.every((byte, index) => expected[index] === byte)) {
      throw new InvalidArchiveError("its checksum does not fit its content");
    }
    return parseRecord(this.#decode(data));
  }

  #decode(data: Uint8Array): unknown {
    try {
      return this.#serde.loadsTyped("msgpack", data);
    } catch (cause) {
      throw new InvalidArchiveError("a record cannot be decoded", cause);
    }
  }
}

/** Bytes in the sizes that are wanted, whatever the sizes in which they come. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** A copy of the next bytes. */
  async take(size: number): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    for (let missing = size; missing > 0;) {
      if (this.#rest.length === 0 && !(await this.#fill())) throw new InvalidArchiveError("it is cut off");
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      parts.push(part);
      missing -= part.length;
    }
    return joined(parts, size);
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#fill());
  }

  async #fill(): Promise<boolean> {
    for (;;) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      this.#rest = next.value;
      if (this.#rest.length > 0) return true;
    }
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
