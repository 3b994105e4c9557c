import { UndecodableError, messageOf } from "../../errors.ts";
import { bigintOf } from "./bigint.ts";
import { Budget, ENTRY, INSTANCE, MEMBER, MOST_AT_ONCE } from "./budget.ts";
import { ByteReader } from "./byte-reader.ts";
import type { CodecRegistry } from "./codec.ts";
import type { PayloadReader } from "./extensions/extension.ts";
import { extensionOfType } from "./extensions/registry.ts";
import { EXTENSION, FORMAT_VERSION, MAX_DEPTH } from "./format.ts";
import type { KeyCache } from "./key-cache.ts";
import { utf16Text } from "./text.ts";

/** The value that the bytes hold. They may be anything; what is not a whole value of this format is refused. */
export function readValue(
  bytes: Uint8Array,
  codecs: CodecRegistry,
  keys: KeyCache,
  budget = new Budget(MOST_AT_ONCE),
): unknown {
  const input = new ByteReader(bytes, keys);
  try {
    const version = input.byte();
    if (version !== FORMAT_VERSION) {
      throw new UndecodableError(
        `it is in format version ${version}, but this code reads version ${FORMAT_VERSION}; deploy code that knows it`,
        { details: { version } },
      );
    }
    const value = new ValueReader(input, codecs, budget).value();
    if (input.remaining > 0) throw new UndecodableError(`${input.remaining} bytes follow after its end`);
    return value;
  } catch (cause) {
    if (cause instanceof UndecodableError) throw cause;
    throw new UndecodableError(
      `it is damaged or cut short, near byte ${input.position} (${messageOf(cause)})`,
      { cause },
    );
  }
}

class ValueReader implements PayloadReader {
  readonly input: ByteReader;
  readonly #codecs: CodecRegistry;
  readonly #budget: Budget;
  /** By number; undefined while an instance waits for its parts. */
  readonly #objects: (object | undefined)[] = [];
  #depth = 0;

  constructor(input: ByteReader, codecs: CodecRegistry, budget: Budget) {
    this.input = input;
    this.#codecs = codecs;
    this.#budget = budget;
  }

  register<T extends object>(object: T): T {
    this.#budget.take(ENTRY);
    this.#objects.push(object);
    return object;
  }

  text(): string {
    return this.#text(this.input.byte());
  }

  value(): unknown {
    const tag = this.input.byte();
    if (tag < 0x80) return tag;
    if (tag < 0x90) return this.#object(tag & 0x0f);
    if (tag < 0xa0) return this.#array(tag & 0x0f);
    if (tag < 0xc0) return this.input.text(tag & 0x1f);
    if (tag >= 0xe0) return tag - 0x100;
    return this.#tagged(tag);
  }

  #tagged(tag: number): unknown {
    const { input } = this;
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return this.#bytes(input.byte());
      case 0xc5:
        return this.#bytes(input.uint16());
      case 0xc6:
        return this.#bytes(input.uint32());
      case 0xcb:
        return input.double();
      case 0xcc:
        return input.byte();
      case 0xcd:
        return input.uint16();
      case 0xce:
        return input.uint32();
      case 0xd0:
        return input.int8();
      case 0xd1:
        return input.int16();
      case 0xd2:
        return input.int32();
      case 0xd9:
      case 0xda:
      case 0xdb:
        return input.text(this.#textSize(tag));
      case 0xdc:
        return this.#array(input.uint16());
      case 0xdd:
        return this.#array(input.uint32());
      case 0xde:
        return this.#object(input.uint16());
      case 0xdf:
        return this.#object(input.uint32());
      default:
        return this.#extension(tag);
    }
  }

  #bytes(size: number): Uint8Array {
    this.#budget.take(INSTANCE);
    return this.register(this.input.raw(size));
  }

  #object(size: number): object {
    const count = this.input.count(size, 2);
    this.#budget.take(MEMBER * count);
    const object: Record<string, unknown> = this.register({});
    this.#enter();
    for (let index = 0; index < count; index++) {
      const key = this.#key();
      const value = this.value();
      if (key === "__proto__") define(object, key, value);
      else object[key] = value;
    }
    this.#depth--;
    return object;
  }

  #array(size: number): unknown[] {
    const count = this.input.count(size, 1);
    this.#budget.take(MEMBER * count);
    const array: unknown[] = this.register([]);
    this.#enter();
    for (let index = 0; index < count; index++) array.push(this.value());
    this.#depth--;
    return array;
  }

  #key(): string {
    const tag = this.input.byte();
    return tag >= 0xa0 && tag < 0xc0 ? this.input.key(tag & 0x1f) : this.#text(tag);
  }

  #text(tag: number): string {
    if ((tag >= 0xa0 && tag < 0xc0) || (tag >= 0xd9 && tag <= 0xdb))
      return this.input.text(this.#textSize(tag));
    const size = this.#extensionSize(tag);
    if (this.input.byte() !== EXTENSION.utf16)
      throw new UndecodableError("it has something else where text must be");
    return utf16Text(this.input.raw(size));
  }

  #textSize(tag: number): number {
    if (tag < 0xc0) return tag & 0x1f;
    if (tag === 0xd9) return this.input.byte();
    return tag === 0xda ? this.input.uint16() : this.input.uint32();
  }

  #extensionSize(tag: number): number {
    switch (tag) {
      case 0xc7:
        return this.input.byte();
      case 0xc9:
        return this.input.uint32();
      case 0xd4:
        return 1;
      case 0xd5:
        return 2;
      case 0xd6:
        return 4;
      default:
        throw new UndecodableError(
          `byte ${this.input.position - 1} is no tag of this format (0x${tag.toString(16)})`,
        );
    }
  }

  #extension(tag: number): unknown {
    const size = this.#extensionSize(tag);
    const type = this.input.byte();
    const end = this.input.position + this.input.count(size, 1);
    const value = this.#payload(type, end);
    if (this.input.position !== end)
      throw new UndecodableError(`the extension of type ${type} before byte ${end} has a wrong size`);
    return value;
  }

  #payload(type: number, end: number): unknown {
    const size = end - this.input.position;
    switch (type) {
      case EXTENSION.undefined:
        this.input.raw(1);
        return undefined;
      case EXTENSION.reference:
        return this.#referenced(size);
      case EXTENSION.bigint:
        return bigintOf(this.input.raw(size));
      case EXTENSION.utf16:
        return utf16Text(this.input.raw(size));
      default:
        return this.#instance(type, end);
    }
  }

  #instance(type: number, end: number): unknown {
    const extension = extensionOfType(type);
    if (extension === undefined && type !== EXTENSION.custom) {
      throw new UndecodableError(`it holds the unknown extension type ${type}; deploy code that knows it`, {
        details: { type },
      });
    }
    this.#budget.take(INSTANCE);
    this.#enter();
    const value = extension === undefined ? this.#custom() : extension.read(this, end);
    this.#depth--;
    return value;
  }

  #custom(): object {
    const name = this.text();
    const codec = this.#codecs.named(name);
    if (codec === undefined) {
      throw new UndecodableError(
        `it holds an instance of codec "${name}", which is not registered; pass that codec to the serializer`,
        {
          details: { codec: name },
        },
      );
    }
    const number = this.#objects.push(undefined) - 1;
    const parts = this.value();
    try {
      const instance = codec.decode(parts);
      this.#objects[number] = instance;
      return instance;
    } catch (cause) {
      throw new UndecodableError(`codec "${name}" failed to decode it (${messageOf(cause)})`, {
        details: { codec: name },
        cause,
      });
    }
  }

  #referenced(size: number): object {
    const { input } = this;
    const number = size === 1 ? input.byte() : size === 2 ? input.uint16() : input.uint32();
    const object = this.#objects[number];
    if (object === undefined)
      throw new UndecodableError(`it refers to object ${number}, which is not before it`);
    return object;
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH)
      throw new UndecodableError(`it is nested in more than ${MAX_DEPTH} levels`);
  }
}

function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, configurable: true, enumerable: true });
}
