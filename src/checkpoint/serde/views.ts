interface ViewConstructor {
  readonly prototype: object;
  new (buffer: ArrayBuffer): ArrayBufferView;
}

/** All but that of bytes. Stored is the position of a class here. Numbers are little-endian, as every platform in use has them. */
export const VIEW_NAMES = [
  "DataView",
  "Int8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
  "Float16Array",
] as const;

/** Only the classes that the platform has. */
export const VIEWS: ReadonlyMap<string, ViewConstructor> = new Map(
  VIEW_NAMES.flatMap((name): [string, ViewConstructor][] => {
    const found: unknown = Reflect.get(globalThis, name);
    return isViewConstructor(found) ? [[name, found]] : [];
  }),
);

function isViewConstructor(value: unknown): value is ViewConstructor {
  return typeof value === "function";
}
