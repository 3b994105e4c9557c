import { isDate } from "./containers.ts";

/** Copies an instance; gives back the same one when it cannot change, and undefined when its class is not known. */
export type InstanceCopier = (instance: object) => object | undefined;

let copyInstance: InstanceCopier = () => undefined;

/** Says how instances of users' classes become a part of the state. */
export function adoptInstancesBy(copier: InstanceCopier): void {
  copyInstance = copier;
}

/** Whether the value is bytes, in whatever form. */
export function isBytes(value: object): value is ArrayBufferView | ArrayBuffer {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** A copy of what cannot be frozen, or undefined for what is not ours to copy: a subclass would become its parent. */
export function copyOpaque(value: object): object | undefined {
  if (isBytes(value)) return copyBytes(value);
  if (isDate(value)) return new Date(value.getTime());
  switch (Object.getPrototypeOf(value)) {
    case RegExp.prototype:
      return new RegExp(value as RegExp);
    case URL.prototype:
      return new URL((value as URL).href);
    default:
      return copyInstance(value);
  }
}

function copyBytes(value: ArrayBufferView | ArrayBuffer): object {
  if (value instanceof ArrayBuffer) return value.slice(0);
  const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  if (value instanceof DataView) return new DataView(bytes.buffer);
  // Node's subclass is bytes like any other.
  if (value.constructor.name === "Buffer") return bytes;
  const View: unknown = value.constructor;
  if (typeof View !== "function") return bytes;
  return Reflect.construct(View, [bytes.buffer]) as object;
}
