/** What a body is in its row: inline, or the hash of a blob. Exactly one is not null. */
export type BodyRow = {
  type: string;
  body: ArrayBuffer | null;
  body_hash: ArrayBuffer | null;
};

/** A body on its way into a row. */
export interface BodyInput {
  readonly type: string;
  readonly body: Uint8Array | null;
  readonly bodyHash: Uint8Array | null;
}

/** How the value of a checkpoint is stored. */
export interface StoredBody {
  readonly level: number;
  /** The row that the body is a patch of, where it is not the parent's; of the first row of a visit, that which it refers to. */
  readonly baseId: string | undefined;
  readonly weight: number;
  readonly body: BodyInput;
}

/** As it is read again. */
export function toBodyRow({ type, body, bodyHash }: BodyInput): BodyRow {
  return { type, body: bufferOf(body), body_hash: bufferOf(bodyHash) };
}

function bufferOf(bytes: Uint8Array | null): ArrayBuffer | null {
  return bytes === null ? null : new Uint8Array(bytes).buffer;
}
