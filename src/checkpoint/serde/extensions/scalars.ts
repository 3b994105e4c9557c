import { ExternalReference } from "../external-reference.ts";
import { EXTENSION } from "../format.ts";
import type { Extension } from "./extension.ts";

const SHA256 = /^[0-9a-f]{64}$/;

export const dateExtension: Extension<Date> = {
  type: EXTENSION.date,
  write: (date, to) => to.out.double(date.getTime()),
  read: (from) => from.register(new Date(from.input.double())),
};

/** `lastIndex` is the state of a search, not part of the value. */
export const regexpExtension: Extension<RegExp> = {
  type: EXTENSION.regexp,
  write(regexp, to) {
    to.value(regexp.source);
    to.value(regexp.flags);
  },
  read(from) {
    const source = from.text();
    return from.register(new RegExp(source, from.text()));
  },
};

export const urlExtension: Extension<URL> = {
  type: EXTENSION.url,
  write: (url, to) => to.value(url.href),
  read: (from) => from.register(new URL(from.text())),
};

export const externalReferenceExtension: Extension<ExternalReference> = {
  type: EXTENSION.externalReference,
  write(reference, to) {
    to.value(reference.kind);
    to.value(reference.hash);
    to.value(reference.size);
  },
  read(from) {
    const kind = from.text();
    const hash = from.text();
    const size = from.value();
    if (!SHA256.test(hash)) throw new RangeError("an external reference has no SHA-256");
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
      throw new RangeError("an external reference has no size");
    }
    return from.register(new ExternalReference(kind, hash, size));
  },
};
