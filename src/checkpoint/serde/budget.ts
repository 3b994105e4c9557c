import { UndecodableError } from "../../errors.ts";

/** What is built takes room: a member of a list once what a reference does, four bytes. */
export const MEMBER = 1;
/** Anything else more often: a container itself, and a member of any other kind of it. */
export const ENTRY = 4;
/** What an instance of a class, or bytes, take besides. */
export const INSTANCE = 12;

const MEBI = 1024 * 1024;

/** So much is made of one body, of the 128 MB that an object has. */
export const MOST_OF_BODY = 16 * MEBI;
/** What an object has. */
export const MOST_AT_ONCE = 2 * MOST_OF_BODY;

/**
 * What may be built that is there at once. Bytes are short, whatever they build: an empty list takes one, and twenty when it is there; a
 * list that a patch copies twice is twice as long in each of the rows of a chain that somebody has made up.
 */
export class Budget {
  readonly #most: number;
  #built = 0;

  constructor(most = MOST_OF_BODY) {
    this.#most = most;
  }

  get built(): number {
    return this.#built;
  }

  /** To be called before it is built. */
  take(room: number): void {
    this.#built += room;
    if (this.#built > this.#most) throw new UndecodableError("more comes of it than an object has room for");
  }
}
