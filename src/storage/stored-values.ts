import { isObject } from "../values/containers.ts";
import { UndecodableError, ValueTooLargeError } from "../errors.ts";
import { adoptOwned, isAdopted, isConstant, isWhollyAdopted } from "../values/adopt.ts";
import { rememberTwin } from "../values/shared-ends.ts";
import { decode, encode } from "../checkpoint/encoding.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import { ExternalReference } from "../checkpoint/serde/external-reference.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { isWellFormed } from "../checkpoint/serde/text.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import { hashBytes } from "./blob-hashes.ts";
import type { HashedBytes } from "./blob-hashes.ts";
import { bytesOf, canBeMade, kindOf, utf8Length } from "./large-leaf.ts";
import { copiedBytes, leavesOf } from "./large-leaves.ts";
import { MAX_BYTES, MAX_COPIED, MAX_TEXT } from "./limits.ts";
import { smallWeight } from "./small.ts";
import { FOUND, LeafFinder, LeafReplacer, MUTABLE, noFindings } from "./value-walk.ts";
import type { Findings } from "./value-walk.ts";

export interface NamedValue {
  readonly channel: string;
  readonly value: unknown;
}

/** Replacements that are committed, by the adopted part that they stand for, large bytes among them. One a thread. */
export type KnownReplacements = WeakMap<object, object>;

/** Values in the form that is encoded: with references in the place of what is large. */
export interface StoredForm {
  /** Whether all values are what was given. */
  readonly isAsGiven: boolean;
  readonly values: readonly unknown[];
  /** Channels with values that may change later. */
  readonly mutable: ReadonlySet<string>;
  /** What the references refer to. */
  readonly blobs: readonly HashedBytes[];
  /** To be called when blobs and values are committed. */
  remember(): void;
}

/** Takes large strings and byte arrays out of values, and puts them back. */
export class StoredValues {
  readonly #serde: SerializerProtocol;
  readonly #inlineLimit: number;
  readonly #large = new LeafFinder();
  /** References are passed through when a value is adopted. */
  readonly #references = new LeafFinder(isWhollyAdopted);
  /** Bytes that were read: whoever has asked for them may change them. */
  readonly #lent = new WeakSet<object>();

  /** Texts of up to so many characters are never large. */
  readonly shortText: number;
  readonly isLargeBytes: (part: unknown) => boolean;

  constructor(serde: SerializerProtocol, inlineLimit: number) {
    this.shortText = Math.floor(inlineLimit / 3);
    this.#serde = serde;
    this.#inlineLimit = inlineLimit;
    this.isLargeBytes = (part) => canBeMade(part) && part.byteLength > inlineLimit;
  }

  /**
   * Answers at once when nothing is large. The values are those of the time of the call: when something has to be
   * awaited before they are encoded (`mustWait`: by the caller), those that may change meanwhile are copied first.
   */
  toStored(
    parts: readonly NamedValue[],
    known: KnownReplacements,
    mustWait: boolean,
  ): MaybePromise<StoredForm> {
    if (parts.every(({ value }) => smallWeight(value, this.shortText) !== undefined)) return asTheyAre(parts);
    const { findings, flags } = this.#inspect(parts, known);
    const any = flags.reduce((all, each) => all | each, 0);
    if (any === 0) return asTheyAre(parts);
    if ((any & MUTABLE) !== 0 && (mustWait || (any & FOUND) !== 0)) {
      return chain(this.#copy(parts), (copies) => {
        const again = this.#inspect(copies, known);
        return this.#hoist(copies, again.findings, again.flags);
      });
    }
    return this.#hoist(parts, findings, flags);
  }

  /** Values as they were before `toStored`: adopted parts where nothing was large, new ones elsewhere. */
  fromStored(
    values: readonly unknown[],
    read: (hash: string) => MaybePromise<Uint8Array>,
  ): MaybePromise<readonly unknown[]> {
    const findings = noFindings();
    for (const value of values) this.#references.find(value, isReference, findings);
    const references = Array.from(findings.leaves).filter(isReference);
    if (references.length === 0) return values;
    return this.#resolve(values, findings, references, read);
  }

  /** What a value in stored form refers to. */
  referencesIn(value: unknown): ExternalReference[] {
    const findings = noFindings();
    this.#references.find(value, isReference, findings);
    return Array.from(findings.leaves).filter(isReference);
  }

  /** Whether a value in stored form may change when it is handed out. */
  isMutable(value: unknown): boolean {
    return (this.#references.find(value, isReference, noFindings()) & MUTABLE) !== 0;
  }

  #inspect(parts: readonly NamedValue[], known: KnownReplacements): { findings: Findings; flags: number[] } {
    const findings = noFindings(known);
    const flags = parts.map(({ channel, value }) => {
      return this.#large.find(value, (part) => this.#isLarge(part, channel), findings);
    });
    return { findings, flags };
  }

  #hoist(
    parts: readonly NamedValue[],
    findings: Findings,
    flags: readonly number[],
  ): MaybePromise<StoredForm> {
    // What may change is copied before anything is awaited.
    const leaves = Array.from(findings.leaves, (leaf) => {
      const bytes = bytesOf(leaf);
      const isFresh = typeof leaf === "string" || this.#isConstant(leaf);
      return { leaf, kind: kindOf(leaf), bytes: isFresh ? bytes : bytes.slice() };
    });
    if (leaves.length === 0) return replaceAll(parts, findings, flags, new Map(), []);
    const hashed = Promise.all(leaves.map(({ bytes }) => hashBytes(this.#serde, bytes)));
    return hashed.then((blobs) => {
      const copied = copiedBytes(leaves.map((leaf, index) => ({ ...leaf, hash: blobs[index]?.hash ?? "" })));
      if (copied > MAX_COPIED)
        throw new ValueTooLargeError(copied, MAX_COPIED, undefined, "What is there of copies of bytes");
      const references = new Map<unknown, ExternalReference>();
      for (const [index, { leaf, kind, bytes }] of leaves.entries()) {
        const hash = blobs[index]?.hash ?? "";
        references.set(leaf, Object.freeze(new ExternalReference(kind, hash, bytes.length)));
      }
      const form = replaceAll(parts, findings, flags, references, blobs);
      return {
        ...form,
        remember: () => {
          form.remember();
          for (const [leaf, reference] of references)
            if (this.#isConstant(leaf)) findings.known.set(leaf, reference);
        },
      };
    });
  }

  /** Adopted bytes are handed out as copies, except by us. */
  #isConstant(leaf: unknown): leaf is object {
    return isObject(leaf) && isAdopted(leaf) && !this.#lent.has(leaf);
  }

  #copy(parts: readonly NamedValue[]): MaybePromise<NamedValue[]> {
    const values = parts.map(({ value }) => value);
    const encoded = encode(this.#serde, values, ([index, ...path]) => {
      const part = typeof index === "number" ? parts[index] : undefined;
      return part && { channel: part.channel, path };
    });
    return chain(encoded, (bytes) =>
      chain(decode(this.#serde, bytes), (copies) => {
        if (!Array.isArray(copies)) throw new UndecodableError("a list came back as something else");
        // All at once: parts may be shared by several values.
        const owned: readonly unknown[] = adoptOwned(copies);
        return parts.map(({ channel }, index) => ({ channel, value: owned[index] }));
      }),
    );
  }

  #isLarge(part: unknown, channel: string): boolean {
    if (typeof part === "string") {
      if (part.length <= this.shortText) return false;
      const size = utf8Length(part);
      if (size > MAX_TEXT) throw new ValueTooLargeError(size, MAX_TEXT, channel);
      // UTF-8 cannot carry half of a surrogate pair, the serializer can.
      return size > this.#inlineLimit && isWellFormed(part);
    }
    if (!canBeMade(part)) return false;
    if (part.byteLength > MAX_BYTES) throw new ValueTooLargeError(part.byteLength, MAX_BYTES, channel);
    return this.isLargeBytes(part);
  }

  async #resolve(
    values: readonly unknown[],
    findings: Findings,
    references: readonly ExternalReference[],
    read: (hash: string) => MaybePromise<Uint8Array>,
  ): Promise<readonly unknown[]> {
    const hashes = Array.from(new Set(references.map(({ hash }) => hash)));
    const contents = await Promise.all(hashes.map(async (hash) => [hash, await read(hash)] as const));
    const leaves = leavesOf(references, new Map(contents));
    for (const leaf of leaves.values()) if (typeof leaf === "object") this.#lent.add(leaf);
    const replacer = new LeafReplacer(findings, leaves);
    const restored = values.map((value) => replacer.replace(value));
    for (const [part, replacement] of replacer.replaced()) noteTwin(part, replacement);
    return restored;
  }
}

/** Nothing in the parts is large, or could be changed. */
function asTheyAre(parts: readonly NamedValue[]): StoredForm {
  return {
    isAsGiven: true,
    values: parts.map(({ value }) => value),
    mutable: new Set(),
    blobs: [],
    remember: nothing,
  };
}

function replaceAll(
  parts: readonly NamedValue[],
  findings: Findings,
  flags: readonly number[],
  references: ReadonlyMap<unknown, ExternalReference>,
  blobs: readonly HashedBytes[],
): StoredForm {
  const mutable = new Set<string>();
  for (const [index, { channel }] of parts.entries())
    if (((flags[index] ?? 0) & MUTABLE) !== 0) mutable.add(channel);
  if (flags.every((each) => (each & FOUND) === 0)) {
    const values = parts.map(({ value }) => value);
    return { isAsGiven: false, values, mutable, blobs, remember: nothing };
  }
  const replacer = new LeafReplacer(findings, references);
  return {
    isAsGiven: false,
    values: parts.map(({ value }) => replacer.replace(value)),
    mutable,
    blobs,
    remember: () => {
      for (const [part, replacement] of replacer.replaced()) {
        findings.known.set(part, replacement);
        noteTwin(part, replacement);
      }
    },
  };
}

/** One of them is the value as the graph has it. */
function noteTwin(part: object, twin: object): void {
  if (isConstant(part) || isConstant(twin)) rememberTwin(part, twin);
}

function nothing(): void {}

function isReference(value: unknown): value is ExternalReference {
  return value instanceof ExternalReference;
}
