/** Sizes in bytes. */
const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** Strings and byte arrays above this are kept outside of the rows, unless the saver is told otherwise. */
export const DEFAULT_INLINE_LIMIT = 128 * KIBIBYTE;
/** The longest string, in UTF-8. */
export const MAX_TEXT = 8 * MEBIBYTE;
/** The longest byte array. */
export const MAX_BYTES = 25 * MEBIBYTE;

/** Byte arrays that are equal to others in a value, together: each is there by itself, though they are stored once. */
export const MAX_COPIED = 4 * MAX_BYTES;

/** What a checkpoint holds, or a task has written, without what is kept apart: all of it is in memory several times. */
export const MAX_STATE = 32 * MEBIBYTE;
/** No body, and no other blob, is longer. A state is weighed by estimate: when it is stored whole it may be above its limit. */
export const MAX_BLOB = 2 * MAX_STATE;

/** A body above this is kept as a blob, with its hash in the row. */
export const MAX_INLINE_BODY = 1_000_000;
/** Metadata shares its row with the body. */
export const MAX_METADATA = 512 * KIBIBYTE;
/** One row of a blob that is kept in SQLite. */
export const PART_SIZE = 1_000_000;

/** What the production service allows; the local one allows more. */
export const MAX_ROW = 2_000_000;
export const MAX_PARAMETERS = 100;
export const MAX_STATEMENT = 100_000;
