import { isBare } from "../../values/bare.ts";
import { DATE_PROTOTYPE, addedSymbol, isDate, isList, isObject } from "../../values/containers.ts";
import { UnserializableError, ValueTooLargeError, messageOf } from "../../errors.ts";
import { ENTRY, INSTANCE, MEMBER, MOST_OF_BODY } from "./budget.ts";
import { bigintBytes } from "./bigint.ts";
import { ByteWriter } from "./byte-writer.ts";
import { isBytes } from "./bytes.ts";
import type { Codec, CodecRegistry } from "./codec.ts";
import type { PayloadWriter } from "./extensions/extension.ts";
import { extensionFor } from "./extensions/registry.ts";
import { EXTENSION, FORMAT_VERSION, MAX_DEPTH } from "./format.ts";
import { ObjectNumbers } from "./object-numbers.ts";
import { refusalOfInstance, refusalOfPrimitive } from "./refusals.ts";

const SCRATCH_SIZE = 16 * 1024;
const MAX_SCRATCH_SIZE = 1024 * 1024;

/** For the next dump. It is taken while in use: a dump inside a dump (in a codec or a getter) gets its own. */
let scratch: ByteWriter | undefined;

export interface WriteOptions {
  /** Refuses where it would leave something out. */
  readonly isAllNeeded?: boolean;
  /** Every list is known to have nothing but members, outside of instances of classes: to ask each takes a twentieth of a superstep. */
  readonly isBare?: boolean;
}

/**
 * The bytes of any value but those that the caller stores as they are. Reads getters; never calls toJSON. A large value is
 * gone through twice: a buffer that grew with it would take three times its room.
 */
export function writeValue(value: unknown, codecs: CodecRegistry, options: WriteOptions = {}): Uint8Array {
  const out = scratch ?? new ByteWriter(SCRATCH_SIZE, MAX_SCRATCH_SIZE);
  scratch = undefined;
  try {
    write(out, value, codecs, options);
    if (out.isWhole) return options.isBare ? out.sharedCopy() : out.copy();
    const large = out.roomy();
    write(large, value, codecs, options);
    return large.take();
  } finally {
    out.rewind(0);
    scratch = out;
  }
}

function write(out: ByteWriter, value: unknown, codecs: CodecRegistry, options: WriteOptions): void {
  const writer = new ValueWriter(out, codecs, options);
  try {
    out.byte(FORMAT_VERSION);
    writer.value(value);
  } catch (cause) {
    if (cause instanceof UnserializableError || cause instanceof ValueTooLargeError) throw cause;
    throw new UnserializableError(`reading it failed (${messageOf(cause)})`, writer.path(), { cause });
  }
}

class ValueWriter implements PayloadWriter {
  readonly out: ByteWriter;
  readonly #codecs: CodecRegistry;
  readonly #isAllNeeded: boolean;
  readonly #objects = new ObjectNumbers();
  /** Instances whose codec has not finished: their parts must not lead back to them. */
  #open: Set<object> | undefined;
  /** The key at each level of nesting down to the current one; none where a value stands for the object around it. */
  readonly #keys: (string | number | undefined)[] = [];
  #depth = 0;
  /** As a `Budget` counts it when it is read. */
  #built = 0;
  #isBare: boolean;

  constructor(
    out: ByteWriter,
    codecs: CodecRegistry,
    { isAllNeeded = false, isBare: isKnown = false }: WriteOptions,
  ) {
    this.out = out;
    this.#codecs = codecs;
    this.#isAllNeeded = isAllNeeded;
    this.#isBare = isKnown;
  }

  path(): (string | number)[] {
    return this.#keys.slice(0, this.#depth).filter((key) => key !== undefined);
  }

  value(value: unknown): void {
    switch (typeof value) {
      case "string":
        return this.out.string(value);
      case "number":
        return this.out.number(value);
      case "boolean":
        return this.out.byte(value ? 0xc3 : 0xc2);
      case "undefined":
        return this.out.undefined();
      case "bigint":
        return this.out.extension(EXTENSION.bigint, bigintBytes(value));
      case "object":
        return value === null ? this.out.byte(0xc0) : this.#object(value);
      default:
        throw this.#refuse(refusalOfPrimitive(value));
    }
  }

  part(key: string | number, value: unknown): void {
    this.#keys[this.#depth - 1] = key;
    this.value(value);
  }

  optionalEntry(key: string, value: unknown): void {
    const { position } = this.out;
    const { size } = this.#objects;
    const depth = this.#depth;
    try {
      this.out.string(key);
      this.part(key, value);
    } catch (fault) {
      if (this.#isAllNeeded || !(fault instanceof UnserializableError)) throw fault;
      this.out.rewind(position);
      this.#depth = depth;
      this.#objects.forgetFrom(size);
    }
  }

  #object(value: object): void {
    const known = this.#objects.find(value);
    if (known !== undefined) {
      this.#reference(value, known);
      return;
    }
    this.#objects.add(value);
    this.#take(ENTRY);
    const prototype: object = Object.getPrototypeOf(value) ?? Object.prototype;
    if (isPlain(value, prototype)) this.#plain(value);
    else if (isList(value) && (this.#isBare || isBare(value))) this.#array(value);
    else if (isBytes(value)) this.#bytes(value);
    else this.#instance(value, isDate(value) ? DATE_PROTOTYPE : prototype);
  }

  #plain(value: Readonly<Record<string, unknown>>): void {
    const keys = Object.keys(value);
    const symbol = addedSymbol(value);
    if (symbol !== undefined) {
      throw this.#refuse(
        `its key ${String(symbol)} is a symbol, which cannot be stored; use a string as the key`,
      );
    }
    this.#take(MEMBER * keys.length);
    this.out.mapHeader(keys.length);
    const level = this.#enter();
    for (const key of keys) {
      this.#keys[level] = key;
      this.out.string(key);
      this.value(value[key]);
    }
    this.#depth = level;
  }

  #array(value: readonly unknown[]): void {
    const count = value.length;
    this.#take(MEMBER * count);
    this.out.arrayHeader(count);
    const level = this.#enter();
    for (let index = 0; index < count; index++) {
      this.#keys[level] = index;
      this.value(value[index]);
    }
    this.#depth = level;
  }

  #bytes(value: Parameters<ByteWriter["binary"]>[0]): void {
    this.#take(INSTANCE);
    this.out.binary(value);
  }

  /** Refuses what would not be read again. */
  #take(room: number): void {
    this.#built += room;
    if (this.#built > MOST_OF_BODY)
      throw this.#refuse("more comes of it than an object has room for; keep less in it");
  }

  #instance(value: object, prototype: object): void {
    const codec = this.#codecs.find(value, prototype);
    const extension = codec === undefined ? extensionFor(value, prototype) : undefined;
    const form = codec === undefined && extension === undefined ? plainForm(value) : undefined;
    if (form !== undefined) return this.#plain(form);
    if (codec === undefined && extension === undefined)
      throw this.#refuse(refusalOfInstance(value, prototype));
    this.#take(INSTANCE);
    const level = this.#enter();
    const areListsBare = this.#isBare;
    this.#isBare = false;
    this.#keys[level] = undefined;
    const start = this.out.openExtension();
    if (codec !== undefined) this.#custom(value, codec);
    else extension?.write(value, this);
    this.out.closeExtension(extension?.type ?? EXTENSION.custom, start);
    this.#isBare = areListsBare;
    this.#depth = level;
  }

  #custom(value: object, codec: Codec): void {
    this.out.string(codec.name);
    const open = (this.#open ??= new Set());
    open.add(value);
    try {
      this.value(this.#partsOf(value, codec));
    } finally {
      open.delete(value);
    }
  }

  #partsOf(value: object, codec: Codec): unknown {
    try {
      return codec.encode(value);
    } catch (cause) {
      throw this.#refuse(`codec "${codec.name}" failed to encode it (${messageOf(cause)})`, cause);
    }
  }

  #reference(value: object, number: number): void {
    if (this.#open?.has(value)) {
      throw this.#refuse(
        "it leads back to an instance that is made from it; let the codec leave the way back out of its parts",
      );
    }
    this.out.reference(number);
  }

  /** Returns the level at which the keys of the object stand. */
  #enter(): number {
    if (this.#depth >= MAX_DEPTH) {
      throw this.#refuse(`it is nested in more than ${MAX_DEPTH} levels; store a flatter form of it`);
    }
    return this.#depth++;
  }

  #refuse(problem: string, cause?: unknown): UnserializableError {
    return new UnserializableError(problem, this.path(), cause === undefined ? {} : { cause });
  }
}

function isPlain(value: object, prototype: object): value is Readonly<Record<string, unknown>> {
  return prototype === Object.prototype;
}

/** An engine's own object (a Send, say) has a plain form by which any engine knows it again. */
function plainForm(value: object): Readonly<Record<string, unknown>> | undefined {
  if (!("lg_name" in value) || !("toJSON" in value) || typeof value.toJSON !== "function") return undefined;
  const form: unknown = value.toJSON();
  return isObject(form) ? { ...form } : undefined;
}
