import { isObject } from "../../values/containers.ts";
import { InvalidArgumentError } from "../../errors.ts";

interface CodecParts<Instance extends object> {
  /** Stored with each value: unique among the codecs of a serializer, and kept as long as stored data is to be read. */
  readonly name: string;
  /** What the instance is made of. The parts may hold anything that can be stored, but not the instance itself. */
  encode(instance: Instance): unknown;
  /** The instance made from its parts. Parts may come from older code, or be damaged: check them, and throw. */
  decode(parts: unknown): Instance;
  /**
   * Instances never change after they are made: state then holds the very instance that was written. Others are copied,
   * by `encode` and `decode`, as they enter the state and whenever they are handed out.
   */
  readonly immutable?: boolean;
}

/** For the instances of one class. A subclass needs a codec of its own: it would come back as its parent. */
export interface ClassCodec<Instance extends object = object> extends CodecParts<Instance> {
  readonly class: abstract new (...args: never[]) => Instance;
}

/** For whatever `matches` accepts. It is not asked about plain objects, arrays and bytes. */
export interface MatchingCodec<Instance extends object = object> extends CodecParts<Instance> {
  matches(value: object): boolean;
}

/**
 * Stores instances of a user's class. Codecs come before the built-in types: the one for the very class, or else the
 * first that matches.
 */
export type Codec<Instance extends object = object> = ClassCodec<Instance> | MatchingCodec<Instance>;

export class CodecRegistry {
  readonly #byName = new Map<string, Codec>();
  readonly #byPrototype = new Map<object, Codec>();
  readonly #matching: MatchingCodec[] = [];
  readonly #others: CodecRegistry | undefined;

  /** `others` has those that are looked for when none here fits. */
  constructor(codecs: readonly Codec[] = [], others?: CodecRegistry) {
    this.#others = others;
    for (const codec of codecs) this.add(codec);
  }

  add(codec: Codec): void {
    if (codec.name === "")
      throw new InvalidArgumentError("invalid_codec", "A codec needs a name that is not empty.");
    if (this.#byName.has(codec.name)) {
      throw new InvalidArgumentError(
        "duplicate_codec",
        `Two codecs are named "${codec.name}". Names must be unique.`,
      );
    }
    if ("matches" in codec) this.#matching.push(codec);
    else this.#addClass(codec);
    this.#byName.set(codec.name, codec);
  }

  /** The codec for a value, whose prototype the caller has at hand. */
  find(value: object, prototype: object): Codec | undefined {
    return (
      this.#byPrototype.get(prototype) ??
      this.#matching.find((codec) => codec.matches(value)) ??
      this.#others?.find(value, prototype)
    );
  }

  named(name: string): Codec | undefined {
    return this.#byName.get(name) ?? this.#others?.named(name);
  }

  #addClass(codec: ClassCodec): void {
    const prototype: unknown = codec.class.prototype;
    if (!isObject(prototype)) {
      throw new InvalidArgumentError("invalid_codec", `The class of codec "${codec.name}" has no prototype.`);
    }
    if (this.#byPrototype.has(prototype)) {
      throw new InvalidArgumentError("duplicate_codec", `Codec "${codec.name}" is the second for its class.`);
    }
    this.#byPrototype.set(prototype, codec);
  }
}
