import { isRecord } from "../../values/containers.ts";

/** What a node emits, in the words of the protocol: an object with a name is an event of that name, and said as it is. */
export function customData(payload: unknown): unknown {
  return isNamed(payload) ? payload : { payload };
}

/** What the node has emitted. */
export function payloadOf(data: unknown): unknown {
  return isNamed(data) ? data : (data as { readonly payload: unknown }).payload;
}

/** The same of JSON text. */
export function customText(text: string): string {
  return isNamed(JSON.parse(text)) ? text : `{"payload":${text}}`;
}

function isNamed(value: unknown): boolean {
  return isRecord(value) && "name" in value;
}
