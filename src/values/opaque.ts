import { isBare } from "./bare.ts";
import { isDate } from "./containers.ts";

/** Copies an instance; gives back the same one when it cannot change, and undefined when its class is not known. */
export type InstanceCopier = (instance: object) => object | undefined;

let copyInstance: InstanceCopier = () => undefined;

/** Says how instances of users' classes become a part of the state. */
export function adoptInstancesBy(copier: InstanceCopier): void {
  copyInstance = copier;
}

const TYPED_ARRAY: unknown = Object.getPrototypeOf(Uint8Array.prototype);

/** Whether the value is bytes, in whatever form of the platform. One of a subclass is something else, but for Node's Buffer. */
export function isBytes(value: object): value is ArrayBufferView | ArrayBuffer {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (!ArrayBuffer.isView(value)) return value instanceof ArrayBuffer && prototype === ArrayBuffer.prototype;
  if (prototype === DataView.prototype || value.constructor.name === "Buffer") return true;
  return prototype !== null && Object.getPrototypeOf(prototype) === TYPED_ARRAY;
}

/** A copy of what cannot be frozen, or undefined for what is not ours to copy: a subclass would become its parent. */
export function copyOpaque(value: object): object | undefined {
  if (!isBare(value)) return copyInstance(value);
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
  if (value instanceof DataView)
    return new DataView(new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice().buffer);
  // Node's subclass is bytes like any other. A short array has no buffer until somebody looks at it.
  const View = value.constructor.name === "Buffer" ? Uint8Array : value.constructor;
  return Reflect.construct(View, [value]) as object;
}
