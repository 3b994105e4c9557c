let last = 0;
let sequence = 0;

/** A UUID of version 7: their text order is the order in which they were made here, also within a millisecond. */
export function uuid7(now = Date.now()): string {
  sequence = now > last ? 0 : (sequence + 1) & 0xfff;
  if (now > last) last = now;
  else if (sequence === 0) last += 1;
  const time = last.toString(16).padStart(12, "0");
  // The rest of a random UUID has the variant, and 62 random bits.
  const rest = crypto.randomUUID().slice(18);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, "0")}${rest}`;
}
