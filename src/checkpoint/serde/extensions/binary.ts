import { UndecodableError } from "../../../errors.ts";
import { EXTENSION } from "../format.ts";
import type { Extension } from "./extension.ts";

interface ViewConstructor {
  readonly prototype: object;
  new (buffer: ArrayBuffer): ArrayBufferView;
}

/** The byte for a class is its position here. Numbers are stored little-endian, as every platform in use has them. */
const VIEW_NAMES = [
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
const VIEWS: ReadonlyMap<string, ViewConstructor> = new Map(
  VIEW_NAMES.flatMap((name): [string, ViewConstructor][] => {
    const found: unknown = Reflect.get(globalThis, name);
    return isViewConstructor(found) ? [[name, found]] : [];
  }),
);

export const VIEW_PROTOTYPES: readonly object[] = [...VIEWS.values()].map((view) => view.prototype);

/** Only the viewed bytes are stored. */
export const viewExtension: Extension<ArrayBufferView> = {
  type: EXTENSION.view,
  write(view, to) {
    const prototype: unknown = Object.getPrototypeOf(view);
    to.out.byte(VIEW_NAMES.findIndex((name) => VIEWS.get(name)?.prototype === prototype));
    to.out.raw(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  },
  read(from, end) {
    const kind = from.input.byte();
    const name = VIEW_NAMES[kind];
    if (name === undefined) throw new UndecodableError(`it holds a typed array of the unknown kind ${kind}`);
    const View = VIEWS.get(name);
    if (View === undefined)
      throw new UndecodableError(`it holds a ${name}, which this platform does not have`);
    return from.register(new View(from.input.raw(end - from.input.position).buffer));
  },
};

export const arrayBufferExtension: Extension<ArrayBuffer> = {
  type: EXTENSION.arrayBuffer,
  write: (buffer, to) => to.out.raw(new Uint8Array(buffer)),
  read: (from, end) => from.register(from.input.raw(end - from.input.position).buffer),
};

function isViewConstructor(value: unknown): value is ViewConstructor {
  return typeof value === "function";
}
