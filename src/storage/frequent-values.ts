/** That of the first namespace of an object: mostly of the root graph of its only thread. */
export const FIRST_NAMESPACE: readonly number[] = [1];
/** What the usual serializer calls almost all that it writes. */
export const USUAL_TYPE: readonly string[] = ["msgpack"];
