/** Up to so many objects are found sooner by looking at each. */
const FEW = 24;

/** Numbers objects in the order in which they come, from 0. Most values have few: then no map is made. */
export class ObjectNumbers {
  readonly #objects: object[] = [];
  #numbers: Map<object, number> | undefined;

  get size(): number {
    return this.#objects.length;
  }

  /** Undefined when the object has not come yet. */
  find(object: object): number | undefined {
    if (this.#numbers !== undefined) return this.#numbers.get(object);
    const number = this.#objects.indexOf(object);
    return number < 0 ? undefined : number;
  }

  /** To be called when it has not come yet. */
  add(object: object): void {
    const number = this.#objects.push(object) - 1;
    if (this.#numbers !== undefined) this.#numbers.set(object, number);
    else if (number >= FEW) this.#numbers = new Map(this.#objects.map((each, index) => [each, index]));
  }

  /** Those with this number or a higher one have not come. */
  forgetFrom(number: number): void {
    for (const object of this.#objects.splice(number)) this.#numbers?.delete(object);
  }
}
