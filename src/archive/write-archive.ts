import { MsgpackSerializer } from "../checkpoint/serde/msgpack-serializer.ts";
import {
  DIGEST_SIZE,
  FIRST_DIGEST,
  FORMAT_VERSION,
  LENGTH_SIZE,
  LINE_BREAK,
  nextDigest,
  PREFIX_SIZE,
  SIGNATURE,
} from "./frame.ts";
import type { ArchiveRecord, ContentRecord } from "./records.ts";

/** The bytes of an archive with these records, one frame at a time, and the record that ends it. */
export async function* writeArchive(
  records: AsyncIterable<ContentRecord>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const frames = new FrameWriter();
  yield prefix();
  let count = 0;
  for await (const record of records) {
    count += 1;
    yield frames.frame(record);
  }
  yield frames.frame({ kind: "end", records: count });
}

class FrameWriter {
  readonly #serde = new MsgpackSerializer();
  #digest: Uint8Array = FIRST_DIGEST;

  async frame(record: ArchiveRecord): Promise<Uint8Array> {
    const [, data] = this.#serde.dumpsTyped(record);
    this.#digest = await nextDigest(this.#digest, data);
    const frame = new Uint8Array(LENGTH_SIZE + DIGEST_SIZE + data.length);
    new DataView(frame.buffer).setUint32(0, data.length);
    frame.set(this.#digest, LENGTH_SIZE);
    frame.set(data, LENGTH_SIZE + DIGEST_SIZE);
    return frame;
  }
}

function prefix(): Uint8Array {
  const bytes = new Uint8Array(PREFIX_SIZE);
  bytes.set(SIGNATURE);
  bytes.set([FORMAT_VERSION, LINE_BREAK], SIGNATURE.length);
  return bytes;
}
