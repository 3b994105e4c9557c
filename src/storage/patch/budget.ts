import { ENTRY, MEMBER, MOST_OF_BODY } from "../../checkpoint/serde/budget.ts";

/** A record without its members. */
export const RECORD_ROOM = 8;
/** The members of a longer record stand in a table. */
const LONG_RECORD = 512;

/** So much is built before a value is there: a row that would take more is written in another way. */
export const MOST_BUILT = MOST_OF_BODY / 2;

/** What so many members of a record take. */
export function roomOfMembers(count: number): number {
  return (count > LONG_RECORD ? ENTRY : MEMBER) * count;
}
