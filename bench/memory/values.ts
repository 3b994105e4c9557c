const MEBIBYTE = 1024 * 1024;

/** Near the limits of what a thread keeps: each of a kind, and the sizes of what is in it, in bytes. */
export const VALUES = {
  bytes: { what: "25 MiB of bytes", size: 25 * MEBIBYTE },
  text: { what: "a text of 8 MiB", size: 8 * MEBIBYTE },
  list: { what: "31 MB in texts of 100 KB", size: 31_000_000 },
} as const;

/** Where they are kept. What is encrypted is in R2. */
export const PLACES = ["SQLite", "R2", "encrypted"] as const;

export type Place = (typeof PLACES)[number];
export type Kind = keyof typeof VALUES;

export function isKind(kind: string): kind is Kind {
  return Object.hasOwn(VALUES, kind);
}

export function make(kind: Kind): Uint8Array | string | readonly string[] {
  const { size } = VALUES[kind];
  switch (kind) {
    case "bytes":
      return new Uint8Array(size).fill(7);
    case "text":
      return "0123456789abcdef".repeat(size / 16);
    case "list":
      return Array.from({ length: size / 100_000 }, (_, index) => `${index}`.padEnd(100_000, "x"));
  }
}
