import { UndecodableError } from "../../errors.ts";

/** What is built takes room: a member of a list once what a reference does, four bytes. */
export const MEMBER = 1;
/** Anything else more often: a container itself, and a member of any other kind of it. */
export const ENTRY = 4;
/** A record without its members. */
export const RECORD_ROOM = 8;
/** The members of a longer record stand in a table. */
const LONG_RECORD = 512;

const MEBI = 1024 * 1024;

/** So much is built before a value is there, in an object that has 128 MB: a row that would take more is written in another way. */
export const MOST_BUILT = 8 * MEBI;
/** So much is built by a row in reading: older code did not count, and what it built was there beside what it was made of. */
const MOST_READ = 2 * MOST_BUILT;
/** What an object has: what tasks have written was there at once when they wrote it. */
export const MOST_OF_TASKS = 2 * MOST_READ;

/** What so many members of a record take. */
export function roomOfMembers(count: number): number {
  return (count > LONG_RECORD ? ENTRY : MEMBER) * count;
}

/**
 * What patches may build that is there at once: those of a row, or of all tasks. They are short, whatever they build: a list that is
 * copied twice is twice as long in each of the rows of a chain that somebody has made up.
 */
export class Budget {
  readonly #most: number;
  #built = 0;

  constructor(most = MOST_READ) {
    this.#most = most;
  }

  get built(): number {
    return this.#built;
  }

  /** To be called before it is built. */
  take(room: number): void {
    this.#built += room;
    if (this.#built > this.#most)
      throw new UndecodableError("more comes of its patches than an object has room for");
  }
}
