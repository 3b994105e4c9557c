/**
 * Stands in a stored value for a large string or byte array that is kept elsewhere, under the SHA-256 of its bytes.
 * Only the storage layer makes and resolves these; the serializer writes them as a type of its own.
 */
export class ExternalReference {
  /** What is put back in its place: text, or a view of that class over the bytes. */
  readonly kind: string;
  /** SHA-256 of the bytes, 64 hex digits. */
  readonly hash: string;
  /** Length in bytes. */
  readonly size: number;

  constructor(kind: string, hash: string, size: number) {
    this.kind = kind;
    this.hash = hash;
    this.size = size;
  }
}
