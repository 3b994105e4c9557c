/**
 * The bytes of type "msgpack": one byte that names the format version, then one MessagePack value. What MessagePack
 * lacks is an extension type, never a marker inside user data, so no user value can be taken for one. Every object
 * (array, Map, Date, …) has a number, counted in the order in which the objects begin in the bytes; an object that
 * comes up again is written as a reference to its number, which is how cycles and shared parts survive.
 *
 * Stored data outlives code: numbers are never given a new meaning, only added.
 */
export const FORMAT_VERSION = 1;

/** Objects inside objects, on both sides; what is deeper is refused before the stack can overflow. */
export const MAX_DEPTH = 500;

/** A dump that grows beyond this is refused: an endless iterator or a huge sparse array, never a useful value. */
export const MAX_BYTES = 128 * 1024 * 1024;

export const EXTENSION = {
  undefined: 0,
  /** The number of an object that came earlier, as an unsigned integer of 1, 2 or 4 bytes. */
  reference: 1,
  /** One byte of sign (0 or 1), then the magnitude, most significant byte first. */
  bigint: 2,
  /** Milliseconds as a double; NaN for an invalid date. */
  date: 3,
  /** Keys and values in turn. */
  map: 4,
  /** The members. */
  set: 5,
  /** Source and flags. */
  regexp: 6,
  /** The href. */
  url: 7,
  /** One byte for the class, then the viewed bytes. */
  view: 8,
  arrayBuffer: 9,
  /** The name of the built-in class, then keys and values in turn. */
  error: 10,
  /** UTF-16 code units, low byte first: text with a lone surrogate, which UTF-8 cannot carry. */
  utf16: 11,
  /** Kind, hash and size. */
  externalReference: 12,
  /** The name of a codec, then the parts that it made. */
  custom: 13,
} as const;
