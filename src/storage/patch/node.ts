/**
 * A patch says how a value becomes another one. It is made of nodes, which are values themselves, so that any serializer
 * can store them. What a node says of the value at its place:
 *
 * - `[]`: it stays.
 * - `[VALUE, array]`: it is this array now. Whatever is no array stands for itself.
 * - `[RECORD, removed, key, node, …]`: an object without the keys at these positions (0: none is removed), with others
 *   changed, by their position, or added at the end, by their name.
 * - `[ORDERED_RECORD, key, node, …]`: an object with exactly these keys, by position or name, in this order.
 * - `[LIST, …]`, `[SET, …]`, `[MAP, …]`: steps that build the new sequence from the old one. Those of a Map are over its
 *   entries: keys and values are inserted in turn, and what is patched is the value of an entry.
 * - `[ELSEWHERE, path, node]`: what the state that the patch is one of has at this path, and how it became the value, unless it
 *   is the value itself. A path is a channel, and keys and positions in its value.
 * - `[NEW_RECORD, key, node, …]`, `[NEW_LIST, …]`: as `ORDERED_RECORD` and `LIST`, of an empty one: something in it stands
 *   elsewhere.
 *
 * Positions are those in the old value. What is written out is never looked into: user data cannot be taken for a node.
 */
export const VALUE = 0;
export const RECORD = 1;
export const ORDERED_RECORD = 2;
export const LIST = 3;
export const SET = 4;
export const MAP = 5;
export const ELSEWHERE = 6;
export const NEW_RECORD = 7;
export const NEW_LIST = 8;

/** `COPY, position, count`: so many members as they are. */
export const COPY = 0;
/** `INSERT, [node, …]`: these members, written out. */
export const INSERT = 1;
/** `PATCH, position, node`: one member, changed. */
export const PATCH = 2;

/** The node of what stays. */
export const KEEP: readonly unknown[] = Object.freeze([]);

/** The node that writes a value out. */
export function writtenOut(value: unknown): unknown {
  return Array.isArray(value) ? [VALUE, value] : value;
}

/** The value that a node writes out, if it does. */
export function wholeOf(node: unknown): { readonly value: unknown } | undefined {
  if (!Array.isArray(node)) return { value: node };
  return node[0] === VALUE ? { value: node[1] } : undefined;
}
