/** The version of what is said to the directory of a thread that is not made yet. */
export const DRAFT = -1;
