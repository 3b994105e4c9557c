import { UndecodableError } from "../../../errors.ts";
import { EXTENSION } from "../format.ts";
import { VIEW_NAMES, VIEWS } from "../views.ts";
import type { Extension } from "./extension.ts";

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
