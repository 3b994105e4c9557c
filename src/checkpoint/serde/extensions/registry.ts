import { isBare } from "../../../values/bare.ts";
import { DATE_PROTOTYPE } from "../../../values/containers.ts";
import { ExternalReference } from "../external-reference.ts";
import { arrayBufferExtension, VIEW_PROTOTYPES, viewExtension } from "./binary.ts";
import { mapExtension, setExtension } from "./collections.ts";
import { errorExtension } from "./error.ts";
import type { Extension } from "./extension.ts";
import { dateExtension, externalReferenceExtension, regexpExtension, urlExtension } from "./scalars.ts";

const BY_PROTOTYPE: ReadonlyMap<object, Extension> = new Map<object, Extension>([
  [Map.prototype, mapExtension],
  [Set.prototype, setExtension],
  [DATE_PROTOTYPE, dateExtension],
  [RegExp.prototype, regexpExtension],
  [URL.prototype, urlExtension],
  [ArrayBuffer.prototype, arrayBufferExtension],
  [ExternalReference.prototype, externalReferenceExtension],
  ...VIEW_PROTOTYPES.map((prototype): [object, Extension] => [prototype, viewExtension]),
]);

const BY_TYPE: ReadonlyMap<number, Extension> = new Map(
  [...BY_PROTOTYPE.values(), errorExtension].map((extension) => [extension.type, extension]),
);

/** Exact classes only, as a subclass would come back as its parent; of errors, subclasses too. */
export function extensionFor(value: object, prototype: object): Extension | undefined {
  if (value instanceof Error) return errorExtension;
  const extension = BY_PROTOTYPE.get(prototype);
  return extension === externalReferenceExtension || isBare(value) ? extension : undefined;
}

/** Whether instances of exactly the class with this prototype are stored by what they hold. */
export function isStoredByContent(prototype: object): boolean {
  return BY_PROTOTYPE.has(prototype) || prototype === Array.prototype || prototype === Uint8Array.prototype;
}

export function extensionOfType(type: number): Extension | undefined {
  return BY_TYPE.get(type);
}
